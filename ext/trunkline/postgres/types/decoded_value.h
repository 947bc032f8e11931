/* Values that decoders of several types make, and the error for malformed ones. */
#ifndef TRUNKLINE_DECODED_VALUE_H
#define TRUNKLINE_DECODED_VALUE_H

#include <ruby.h>
#include <stddef.h>

/* An immutable object of one of this library's classes, with valid parts. It runs no Ruby: threads are interrupted where Ruby runs, and an answer
 * must not be interrupted midway. */
VALUE plain_value(VALUE class, size_t count, const ID *names, const VALUE *parts);

/* Positive and negative infinity, which dates, timestamps and intervals may be. */
VALUE infinity_value(bool negative);

/* Raises Trunkline::ProtocolError; the message names the type and never the value. */
NORETURN(void raise_malformed(const char *type_name));

/* Looks up classes and constants; called once, as the extension is loaded. */
void Init_trunkline_decoded_value(void);

#endif
