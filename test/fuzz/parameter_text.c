/* Numbers as text, which are the same numbers when they are read. */
#include "fuzz.h"
#include <math.h>
#include "postgres/messages/parameter_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *digits = malloc(LONGEST_FLOAT), text[LONGEST_FLOAT + 1];
    double number = 0;
    long whole = 0;
    MUST(digits);
    memcpy(&number, data, size < sizeof number ? size : sizeof number);
    memcpy(&whole, data, size < sizeof whole ? size : sizeof whole);
    size_t length = float_text(number, digits);
    MUST(length > 0 && length <= LONGEST_FLOAT);
    memcpy(text, digits, length);
    text[length] = 0;
    if (!isnan(number)) MUST(strtod(text, NULL) == number);
    free(digits);
    digits = malloc(LONGEST_DECIMAL);
    MUST(digits);
    length = decimal_text(whole, digits);
    MUST(length > 0 && length <= LONGEST_DECIMAL);
    memcpy(text, digits, length);
    text[length] = 0;
    MUST(strtol(text, NULL, 10) == whole);
    free(digits);
    return 0;
}
