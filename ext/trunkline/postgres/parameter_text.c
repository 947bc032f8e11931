#include "parameter_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

size_t float_text(double number, char digits[LONGEST_FLOAT]) {
    if (isnan(number)) return word("NaN", digits);
    if (isinf(number)) return word(number > 0 ? "Infinity" : "-Infinity", digits);
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(digits, LONGEST_FLOAT, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    char *comma = strchr(digits, ','); /* what some locales write for the point */
    if (comma) *comma = '.';
    return (size_t)length;
}
