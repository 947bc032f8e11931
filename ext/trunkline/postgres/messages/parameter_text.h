/* Numbers as the server reads them in text. */
#ifndef TRUNKLINE_PARAMETER_TEXT_H
#define TRUNKLINE_PARAMETER_TEXT_H

#include <stddef.h>

#define LONGEST_DECIMAL 24
#define LONGEST_FLOAT 32

/* Both return the length of the text. */
size_t decimal_text(long number, char digits[LONGEST_DECIMAL]);

/* As few digits as give the same double back; or NaN, Infinity, -Infinity. */
size_t float_text(double number, char digits[LONGEST_FLOAT]);

#endif
