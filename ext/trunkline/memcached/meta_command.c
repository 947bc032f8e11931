#include "meta_command.h"

#include <string.h>

#define LONGEST_NUMBER 20 /* digits */

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool goes_as_it_is(meta_text_t key) {
    for (size_t at = 0; at < key.length; at++) {
        if (key.bytes[at] <= ' ' || key.bytes[at] > '~') return false; /* bytes beyond ASCII are negative, or above it */
    }
    return true;
}

static size_t base64_size(size_t length) { return (length + 2) / 3 * 4; }

size_t meta_key_size(meta_text_t key) { return goes_as_it_is(key) ? key.length : base64_size(key.length); }

static char *put(char *at, const void *bytes, size_t length) {
    if (length > 0) memcpy(at, bytes, length);
    return at + length;
}

static char *put_text(char *at, meta_text_t text) { return put(at, text.bytes, text.length); }

static char *put_number(char *at, uint64_t number) {
    char digits[LONGEST_NUMBER];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
    } while (number /= 10);
    return put(at, digits + first, sizeof digits - first);
}

static char *put_base64(char *at, meta_text_t key) {
    const unsigned char *bytes = (const unsigned char *)key.bytes;
    for (size_t from = 0; from < key.length; from += 3) {
        size_t left = key.length - from;
        uint32_t three = (uint32_t)bytes[from] << 16;
        if (left > 1) three |= (uint32_t)bytes[from + 1] << 8;
        if (left > 2) three |= bytes[from + 2];
        *at++ = base64[three >> 18];
        *at++ = base64[three >> 12 & 63];
        *at++ = left > 1 ? base64[three >> 6 & 63] : '=';
        *at++ = left > 2 ? base64[three & 63] : '=';
    }
    return at;
}

/* Reserves space for a request; returns where it begins, or NULL. */
static char *begin(buffer_t *output, size_t most) {
    return buffer_reserve(output, most) ? output->start + output->tail : NULL;
}

static bool finish(buffer_t *output, const char *at) {
    output->tail = (size_t)(at - output->start);
    return true;
}

/* "mg <key>", and for the value's length what follows the key. */
static char *put_command(char *at, char verb, meta_text_t key, bool as_it_is) {
    *at++ = 'm';
    *at++ = verb;
    *at++ = ' ';
    return as_it_is ? put_text(at, key) : put_base64(at, key);
}

static size_t flags_size(const meta_flags_t *flags) { return flags->given.length + sizeof " q O" + LONGEST_NUMBER; }

static char *put_end(char *at, const meta_flags_t *flags, bool as_it_is) {
    if (!as_it_is) at = put(at, " b", 2);
    at = put_text(at, flags->given);
    if (flags->quiet) at = put(at, " q", 2);
    return put(put_number(put(at, " O", 2), flags->opaque), "\r\n", 2);
}

bool meta_write(buffer_t *output, char verb, meta_text_t key, const meta_flags_t *flags) {
    bool as_it_is = goes_as_it_is(key);
    char *at = begin(output, base64_size(key.length) + flags_size(flags) + sizeof "mg  b\r\n");
    if (!at) return false;
    at = put_command(at, verb, key, as_it_is);
    return finish(output, put_end(at, flags, as_it_is));
}

bool meta_write_value(buffer_t *output, meta_text_t key, meta_text_t value, uint32_t client_flags,
                      const meta_flags_t *flags) {
    bool as_it_is = goes_as_it_is(key);
    size_t most = base64_size(key.length) + flags_size(flags) + value.length + 2 * LONGEST_NUMBER + sizeof "ms   F b\r\n\r\n";
    char *at = begin(output, most);
    if (!at) return false;
    at = put_command(at, 's', key, as_it_is);
    *at++ = ' ';
    at = put_number(at, value.length);
    if (client_flags != 0) at = put_number(put(at, " F", 2), client_flags);
    at = put_end(at, flags, as_it_is);
    return finish(output, put(put_text(at, value), "\r\n", 2));
}

bool meta_write_noop(buffer_t *output) { return buffer_append(output, "mn\r\n", 4); }

bool meta_write_line(buffer_t *output, meta_text_t line) {
    char *at = begin(output, line.length + 2);
    return at && finish(output, put(put_text(at, line), "\r\n", 2));
}
