/* Decimal text as the C library reads it, and the shortest decimal of a float. */
#include "fuzz.h"
#include <math.h>
#include "postgres/types/decimal.h"
#include "postgres/types/shortest_float.h"

static void read_back(const char *bytes, size_t size) {
    double number, expected;
    if (!decimal_to_double(bytes, size, &number)) return;
    char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, bytes, size);
    text[size] = 0;
    char *end;
    expected = strtod(text, &end);
    MUST(end == text + size);
    MUST(isnan(number) ? isnan(expected) : number == expected && !signbit(number) == !signbit(expected));
    free(text);
}

static void shorten(const char *bytes) {
    float value;
    memcpy(&value, bytes, sizeof value);
    double number = shortest_float(value);
    MUST(isnan(value) ? isnan(number) : (float)number == value && !signbit(number) == !signbit(value));
}

static void read_long(const char *bytes, size_t size) {
    double number;
    decimal_to_double(bytes, size, &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    read_back(bytes, size);
    if (size >= sizeof(float)) shorten(bytes);
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
