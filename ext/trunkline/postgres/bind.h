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
 * UTF-8 without zero bytes do. Strings that could still change are replaced by frozen copies. */
bool bind_ready(VALUE parameters);

/* Is the String valid UTF-8 without zero bytes, and said to be? */
bool bind_text_ready(VALUE string);

/* Appends Bind of the portal; without a name it is gone with the unit. `types` is NULL while the server's are not known: then all goes as text, and a binary
 * string as the text of a bytea.
 * Results come in binary format when `binary`. False: no memory. Runs no Ruby code. */
bool bind_append(buffer_t *buffer, span_t portal, span_t name, VALUE parameters, const uint32_t *types, bool binary);

#endif
