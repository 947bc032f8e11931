#include "parameter_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Six decimals, as many as timestamps and most amounts have, are printed in 19 to 31 ns; seven, by snprintf, in 480. */
#define SCALE 1e6
#define EXACT 1e15 /* a double holds fifteen digits exactly */

size_t decimal_text(long number, char digits[LONGEST_DECIMAL]) {
    char *at = digits + LONGEST_DECIMAL;
    unsigned long left = number < 0 ? 0UL - (unsigned long)number : (unsigned long)number;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) *--at = '-';
    size_t length = (size_t)(digits + LONGEST_DECIMAL - at);
    memmove(digits, at, length);
    return length;
}

static size_t word(const char *text, char digits[LONGEST_FLOAT]) {
    strcpy(digits, text);
    return strlen(text);
}

/* Most floats have few decimals. A whole number that a double holds exactly, divided by the scale, is what the server reads from these digits, as
 * both are rounded correctly. 0: the number is not such a quotient. */
static size_t few_decimals(double number, char digits[LONGEST_FLOAT]) {
    double scaled = nearbyint(number * SCALE);
    if (number == 0 || fabs(scaled) >= EXACT || scaled / SCALE != number) return 0;
    long whole = (long)fabs(scaled);
    size_t length = 0;
    if (number < 0) digits[length++] = '-';
    length += decimal_text(whole / (long)SCALE, digits + length);
    long rest = whole % (long)SCALE;
    if (rest > 0) digits[length++] = '.';
    for (long place = (long)SCALE / 10; rest > 0; rest %= place, place /= 10) digits[length++] = (char)('0' + rest / place);
    return length;
}

size_t float_text(double number, char digits[LONGEST_FLOAT]) {
    size_t short_length = few_decimals(number, digits);
    if (short_length > 0) return short_length;
    if (isnan(number)) return word("NaN", digits);
    if (isinf(number)) return word(number > 0 ? "Infinity" : "-Infinity", digits);
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(digits, LONGEST_FLOAT, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    char *comma = strchr(digits, ','); /* the decimal point of some locales */
    if (comma) *comma = '.';
    return (size_t)length;
}
