/* numeric in binary format: groups of four decimal digits, and the power of 10000 of the first. */
#ifndef TRUNKLINE_POSTGRES_NUMERIC_BINARY_H
#define TRUNKLINE_POSTGRES_NUMERIC_BINARY_H

#include <stdbool.h>
#include <stddef.h>

/* The size of the buffer that numeric_binary_print needs for so many bytes. */
size_t numeric_binary_capacity(size_t length);

/* Prints "-1234e-2", "NaN", "Infinity" or "-Infinity" without a terminating zero and
 * returns the count of characters; 0: malformed. */
size_t numeric_binary_print(const char *bytes, size_t length, char *out);

#endif
