/* The wire's numeric: what is printed fits what was promised, and reads as a number. */
#include "fuzz.h"
#include "postgres/types/decimal.h"
#include "postgres/types/numeric_binary.h"

static void print_long(const char *bytes, size_t size) {
    char *text = malloc(numeric_binary_capacity(size));
    MUST(text);
    numeric_binary_print(bytes, size, text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    size_t capacity = numeric_binary_capacity(size);
    char *text = malloc(capacity);
    MUST(text);
    size_t length = numeric_binary_print(bytes, size, text);
    double number;
    MUST(length <= capacity);
    if (length > 0) MUST(decimal_to_double(text, length, &number));
    free(text);
    free(bytes);
    must_be_linear(data, size, print_long);
    return 0;
}
