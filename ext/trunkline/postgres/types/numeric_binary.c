#include "numeric_binary.h"
#include "../../bytes/big_endian.h"

#include <string.h>

enum { HEADER = 8, GROUP_LIMIT = 10000, EXPONENT_ROOM = 16 };
enum { POSITIVE = 0x0000, NEGATIVE = 0x4000, NOT_A_NUMBER = 0xC000, PLUS_INFINITY = 0xD000, MINUS_INFINITY = 0xF000 };

size_t numeric_binary_capacity(size_t length) {
    return length * 2 + EXPONENT_ROOM;
}

static size_t print_word(const char *word, char *out) {
    size_t length = strlen(word);
    memcpy(out, word, length);
    return length;
}

static bool print_group(unsigned group, char *out) {
    if (group >= GROUP_LIMIT) return false;
    for (int i = 3; i >= 0; i--, group /= 10) out[i] = (char)('0' + group % 10);
    return true;
}

static size_t print_exponent(int exponent, char *out) {
    char reversed[EXPONENT_ROOM];
    size_t count = 0, length = 0;

    out[length++] = 'e';
    if (exponent < 0) out[length++] = '-', exponent = -exponent;
    for (; exponent > 0; exponent /= 10) reversed[count++] = (char)('0' + exponent % 10);
    while (count > 0) out[length++] = reversed[--count];
    return length;
}

static size_t print_digits(const char *digits, unsigned count, int weight, bool negative, char *out) {
    char *at = out;
    int exponent = 4 * (weight - (int)count + 1);

    if (negative) *at++ = '-';
    for (unsigned i = 0; i < count; i++, at += 4) {
        if (!print_group(read_u16(digits + 2 * i), at)) return 0;
    }
    if (exponent != 0) at += print_exponent(exponent, at);
    return (size_t)(at - out);
}

size_t numeric_binary_print(const char *bytes, size_t length, char *out) {
    if (length < HEADER) return 0;
    unsigned count = read_u16(bytes), sign = read_u16(bytes + 4);
    int weight = (int16_t)read_u16(bytes + 2);
    if (length != HEADER + 2 * (size_t)count) return 0;

    switch (sign) {
    case NOT_A_NUMBER: return print_word("NaN", out);
    case PLUS_INFINITY: return print_word("Infinity", out);
    case MINUS_INFINITY: return print_word("-Infinity", out);
    case POSITIVE:
    case NEGATIVE:
        if (count == 0) return print_word("0", out);
        return print_digits(bytes + HEADER, count, weight, sign == NEGATIVE, out);
    default: return 0;
    }
}
