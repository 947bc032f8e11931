/* Values that decoders of several types make, and the error for malformed ones. */
#ifndef TRUNKLINE_DECODED_VALUE_H
#define TRUNKLINE_DECODED_VALUE_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

/* Positive and negative infinity, which dates, timestamps and intervals may be. */
VALUE infinity_value(bool negative);

/* Raises Trunkline::ProtocolError; the message names the type and never the value. */
NORETURN(void raise_malformed(const char *type_name));

/* Looks up classes and constants; called once, as the extension is loaded. */
void Init_trunkline_decoded_value(void);

#endif
