#include "shortest_float.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SURE_DIGITS = 6, /* digits that each float preserves, unless it is subnormal */
    MOST_DIGITS = 9, /* digits that distinguish each float from its neighbours */
    EXACT_POWERS = 22,
};

static const double powers_of_ten[EXACT_POWERS + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

typedef struct {
    uint64_t digits;
    int exponent; /* of ten */
} decimal_t;

/* Whether it is halfway between two floats, in the precision of a double. */
static bool looks_halfway(double value) {
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x1fffffff) == 0x10000000;
}

/* A decimal exactly between two floats denotes neither, although reading would choose one.
 * Beyond these exponents a short decimal is never exactly there. */
static bool exactly(decimal_t decimal, double value) {
    if (abs(decimal.exponent) > EXACT_POWERS) return false;
    double digits = (double)decimal.digits, power = powers_of_ten[abs(decimal.exponent)];
    return (decimal.exponent < 0 ? fma(value, power, -digits) : fma(digits, power, -value)) == 0;
}

/* Text without a decimal point, which would be the locale's. */
static bool denotes(decimal_t decimal, float value, double *nearest) {
    char text[48];

    snprintf(text, sizeof text, "%llue%d", (unsigned long long)decimal.digits, decimal.exponent);
    *nearest = strtod(text, NULL);
    return strtof(text, NULL) == value && !(looks_halfway(*nearest) && exactly(decimal, *nearest));
}

static decimal_t rounded(float value, int digits) {
    char text[48];
    decimal_t decimal = {0};
    const char *at = text;

    snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') decimal.digits = decimal.digits * 10 + (uint64_t)(*at - '0');
    }
    decimal.exponent = (int)strtol(at + 1, NULL, 10) - (digits - 1);
    return decimal;
}

/* For any float above zero. Below a power of two the floats lie closer than above it: there the
 * nearest decimal may denote the neighbour, and the one above still this float. */
static double by_text(float value) {
    double nearest = value;

    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        decimal_t decimal = rounded(value, digits);
        if (denotes(decimal, value, &nearest)) break;
        decimal.digits++;
        if (denotes(decimal, value, &nearest)) break;
    }
    return nearest;
}

/* The same by exact powers of ten. False: not certain, because of a rounding on the way. */
static bool by_arithmetic(float value, double *nearest) {
    int scale = SURE_DIGITS - 1 - (int)floor(log10((double)value));

    for (int digits = SURE_DIGITS; digits <= MOST_DIGITS; digits++, scale++) {
        double power = powers_of_ten[abs(scale)];
        double scaled = scale < 0 ? value / power : value * power, whole = nearbyint(scaled);

        if (fabs(fabs(scaled - whole) - 0.5) < 1e-5) return false;
        *nearest = scale < 0 ? whole * power : whole / power;
        if (looks_halfway(*nearest)) {
            if (!exactly((decimal_t){(uint64_t)whole, -scale}, *nearest)) return false;
        }
        else if ((float)*nearest == value) {
            return true;
        }
    }
    return false;
}

static bool is_power_of_two(float value) {
    int exponent;

    return frexpf(value, &exponent) == 0.5f;
}

double shortest_float(float value) {
    float magnitude = fabsf(value);
    double nearest;

    if (isnan(value) || isinf(value) || value == 0) return value;
    if (magnitude < 16777216.0f && magnitude == truncf(magnitude)) return value;

    bool easy = magnitude > 1e-12f && magnitude < 1e20f && !is_power_of_two(magnitude);
    if (!easy || !by_arithmetic(magnitude, &nearest)) nearest = by_text(magnitude);
    return copysign(nearest, value);
}
