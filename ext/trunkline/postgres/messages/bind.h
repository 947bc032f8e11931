/* Parameters -> Bind. */
#ifndef TRUNKLINE_BIND_H
#define TRUNKLINE_BIND_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "frontend.h"

#define MOST_PARAMETERS 65535

#define MOST_BYTES ((size_t)1 << 29) /* far below the server's limit of 1 GiB a message, so that headers fit too */

/* Does every value go over the wire without Ruby's help? Nil, true, false, Integer, Float, Symbol, and text that is valid
 * UTF-8 without zero bytes do. Then the Array, which must be the caller's to give away, is frozen, and Strings that could still change
 * are replaced by frozen copies: bind_append relies on what was looked at here, however much later. */
bool bind_ready(VALUE parameters);

/* A frozen copy of the Array that goes over the wire as it is; binary Strings too. Raises TypeError where something in it does not. Runs
 * no Ruby code. */
VALUE bind_checked(VALUE parameters);

/* A frozen copy of an Array of type OIDs. Raises TypeError where something else is in it. */
VALUE bind_types(VALUE types);

/* Is the String valid UTF-8 without zero bytes, and said to be? */
bool bind_text_ready(VALUE string);

/* Appends Bind of the portal; without a name it is gone with the unit. `types` is NULL while the server's are not known: then all goes as text, and a binary
 * string as the text of a bytea.
 * Results come in binary format when `binary`. False: no memory. Runs no Ruby code. */
bool bind_append(buffer_t *buffer, span_t portal, span_t name, VALUE parameters, const uint32_t *types, bool binary);

#endif
