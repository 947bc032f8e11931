/* Decimal text -> binary floating point, exactly rounded and whatever the locale. */
#ifndef TRUNKLINE_POSTGRES_DECIMAL_H
#define TRUNKLINE_POSTGRES_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* The double nearest to "-12.5e-3", "NaN", "Infinity" or "-Infinity"; false: no such text. */
bool decimal_to_double(const char *bytes, size_t length, double *out);

#endif
