#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_POWERS = 22,      /* 10^22 is the greatest power of ten a double holds exactly */
    SIGNIFICANT_DIGITS = 800, /* more than 767 never change the nearest double */
    EXPONENT_LIMIT = 99999,
};

static const double powers_of_ten[EXACT_POWERS + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

typedef struct {
    const char *at, *end;
    uint64_t mantissa;   /* valid while there are at most 19 digits */
    long exponent;       /* of ten, for the digits taken as an integer */
    int digit_count;     /* without leading zeros */
    bool seen_digit;
    char digits[SIGNIFICANT_DIGITS];
} decimal_t;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void take_digits(decimal_t *decimal, bool fraction) {
    for (; decimal->at < decimal->end && is_digit(*decimal->at); decimal->at++) {
        char digit = *decimal->at;

        decimal->seen_digit = true;
        if (decimal->digit_count == SIGNIFICANT_DIGITS) {
            /* Too far right for the mantissa, but it must still break a tie. */
            if (digit != '0') decimal->digits[SIGNIFICANT_DIGITS - 1] = '1';
            if (!fraction) decimal->exponent++;
            continue;
        }
        if (fraction) decimal->exponent--;
        if (digit == '0' && decimal->digit_count == 0) continue;
        decimal->digits[decimal->digit_count++] = digit;
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(digit - '0');
    }
}

static bool take_exponent(decimal_t *decimal) {
    bool negative = false;
    long exponent = 0;

    if (decimal->at == decimal->end) return true;
    if (*decimal->at != 'e' && *decimal->at != 'E') return false;
    decimal->at++;
    if (decimal->at < decimal->end && (*decimal->at == '-' || *decimal->at == '+')) {
        negative = *decimal->at++ == '-';
    }
    if (decimal->at == decimal->end) return false;
    for (; decimal->at < decimal->end; decimal->at++) {
        if (!is_digit(*decimal->at)) return false;
        if (exponent < EXPONENT_LIMIT) exponent = exponent * 10 + (*decimal->at - '0');
    }
    decimal->exponent += negative ? -exponent : exponent;
    return true;
}

/* strtod gets no decimal point, so that the locale has no effect. */
static double nearest_double(const decimal_t *decimal) {
    char buffer[SIGNIFICANT_DIGITS + 24];

    if (decimal->digit_count == 0) return 0.0;
    if (decimal->digit_count <= 19 && decimal->mantissa <= UINT64_C(1) << 53) {
        /* Both operands are exact, so that the one rounding is the right one. */
        double mantissa = (double)decimal->mantissa;
        if (decimal->exponent == 0) return mantissa;
        if (decimal->exponent > 0 && decimal->exponent <= EXACT_POWERS) {
            return mantissa * powers_of_ten[decimal->exponent];
        }
        if (decimal->exponent < 0 && decimal->exponent >= -EXACT_POWERS) {
            return mantissa / powers_of_ten[-decimal->exponent];
        }
    }
    memcpy(buffer, decimal->digits, (size_t)decimal->digit_count);
    snprintf(buffer + decimal->digit_count, 24, "e%ld", decimal->exponent);
    return strtod(buffer, NULL);
}

static bool is_word(const char *bytes, size_t length, const char *word) {
    return length == strlen(word) && memcmp(bytes, word, length) == 0;
}

bool decimal_to_double(const char *bytes, size_t length, double *out) {
    bool negative = length > 0 && bytes[0] == '-';
    decimal_t decimal;

    if (negative) bytes++, length--;
    if (is_word(bytes, length, "Infinity")) {
        *out = negative ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    if (!negative && is_word(bytes, length, "NaN")) {
        *out = NAN;
        return true;
    }

    decimal.at = bytes;
    decimal.end = bytes + length;
    decimal.mantissa = 0;
    decimal.exponent = 0;
    decimal.digit_count = 0;
    decimal.seen_digit = false;
    take_digits(&decimal, false);
    if (decimal.at < decimal.end && *decimal.at == '.') {
        decimal.at++;
        take_digits(&decimal, true);
    }
    if (!decimal.seen_digit || !take_exponent(&decimal)) return false;
    *out = nearest_double(&decimal);
    if (negative) *out = -*out;
    return true;
}
