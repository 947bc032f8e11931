/* Values that decoders of several types make, and the error of those that make none. */
#ifndef TRUNKLINE_DECODED_VALUE_H
#define TRUNKLINE_DECODED_VALUE_H

#include <ruby.h>
#include <stddef.h>

/* An immutable value of one of our own classes, whose parts are known to be right. No Ruby runs meanwhile: threads are
 * interrupted where it does, and an answer must not be left in the middle. */
VALUE plain_value(VALUE class, size_t count, const ID *names, const VALUE *parts);

/* Positive and negative infinity, which dates, timestamps and intervals may be. */
VALUE infinity_value(bool negative);

/* Raises Trunkline::ProtocolError; the message names the type and never the value. */
NORETURN(void raise_malformed(const char *type_name));

/* Looks up what is made; called once, as the extension is loaded. */
void Init_trunkline_decoded_value(void);

#endif
