/* Parameters -> Bind. */
#ifndef TRUNKLINE_BIND_H
#define TRUNKLINE_BIND_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "frontend.h"

#define MOST_PARAMETERS 65535 /* their number has 16 bits in Bind */

#define MOST_BYTES ((size_t)1 << 29) /* far below the server's limit of 1 GiB per message, so that headers fit, too */

/* Whether bind_append can append each value without conversion in Ruby: nil, true, false, Integer, Float, Symbol, and text that is valid UTF-8
 * without zero bytes. If so, the Array, which no other object may use, is frozen, and mutable Strings are replaced by frozen copies, so that what was
 * checked here still holds when bind_append runs. */
bool bind_ready(VALUE parameters);

/* A frozen copy of the Array; binary Strings are allowed, too. Raises TypeError for a value that bind_append does not take. Runs no Ruby code. */
VALUE bind_checked(VALUE parameters);

/* A frozen copy of an Array of type OIDs. Raises TypeError for other values. */
VALUE bind_types(VALUE types);

/* Whether the String is valid UTF-8 without zero bytes, and has that encoding. */
bool bind_text_ready(VALUE string);

/* Appends Bind of the portal; an unnamed one ends with the unit. `types` is NULL while the server's are not known, or 0 for some: then these values
 * are sent as text, and a binary String as the text of a bytea. Results come in binary format when `binary`. False: no memory. Runs no Ruby code. */
bool bind_append(buffer_t *buffer, span_t portal, span_t name, VALUE parameters, const uint32_t *types, bool binary);

#endif
