/* What the harnesses share: each gets arbitrary bytes, and stops the fuzzer when what it says must hold does not. */
#ifndef TRUNKLINE_FUZZ_H
#define TRUNKLINE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* What a long input may take of the processor: the scanner takes 1 to 2 us for a byte under the sanitizers, and the others less; the most is ten
 * times that. A quadratic reader takes some hundred us for each byte of so many. One input in sixteen is tried, by
 * the sum of its bytes: each takes as long as a hundred short ones. */
#define LONG_INPUT 8192 /* bytes */
#define MOST_NANOSECONDS_PER_BYTE 20000
#define INPUTS_PER_LONG_ONE 16

static inline int64_t processor_nanoseconds(void) {
    struct timespec now;
    MUST(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Has `read` take the input again and again, one behind the other, and asserts that its time grows with the length alone. */
static inline void must_be_linear(const uint8_t *data, size_t size, void (*read)(const char *bytes, size_t length)) {
    static char bytes[LONG_INPUT];
    unsigned sum = 0;
    for (size_t at = 0; at < size; at++) sum += data[at];
    if (size == 0 || sum % INPUTS_PER_LONG_ONE != 0) return;
    for (size_t at = 0; at < sizeof bytes; at++) bytes[at] = (char)data[at % size];
    int64_t before = processor_nanoseconds();
    read(bytes, sizeof bytes);
    MUST(processor_nanoseconds() - before < (int64_t)sizeof bytes * MOST_NANOSECONDS_PER_BYTE);
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
