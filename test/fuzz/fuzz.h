/* What the harnesses share: each gets arbitrary bytes, and stops the fuzzer when what it says must hold does not. */
#ifndef TRUNKLINE_FUZZ_H
#define TRUNKLINE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) \
    do { \
        if (!(condition)) __builtin_trap(); \
    } while (0)

/* A copy that ends where its memory ends: reading one byte more is noticed. The caller frees it. */
static inline char *exact_copy(const void *bytes, size_t length) {
    char *copy = malloc(length ? length : 1);
    MUST(copy);
    if (length > 0) memcpy(copy, bytes, length);
    return copy;
}

/* Takes numbers off the front of an input; zero when it is used up. */
typedef struct {
    const uint8_t *at, *end;
} input_t;

static inline uint8_t input_byte(input_t *input) { return input->at < input->end ? *input->at++ : 0; }

static inline uint16_t input_number(input_t *input) {
    uint8_t high = input_byte(input);
    return (uint16_t)(high << 8 | input_byte(input));
}

static inline size_t input_left(const input_t *input) { return (size_t)(input->end - input->at); }

#endif
