/* Numbers as text for the server. */
#ifndef TRUNKLINE_PARAMETER_TEXT_H
#define TRUNKLINE_PARAMETER_TEXT_H

#include <stddef.h>

#define LONGEST_DECIMAL 24 /* bytes: a sign and 19 digits take 20 */
#define LONGEST_FLOAT 32   /* bytes: a sign, 17 digits, a point and e-308 take 24, with a zero byte 25 */

/* Both return the length of the text. */
size_t decimal_text(long number, char digits[LONGEST_DECIMAL]);

/* The shortest text that reads as the same double; or NaN, Infinity, -Infinity. */
size_t float_text(double number, char digits[LONGEST_FLOAT]);

#endif
