#include "unicode_name.h"

#include <string.h>

#define BIGGEST_CHARACTER 0x10FFFF

static bool starts_character(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

name_t name_into(char *bytes) { return (name_t){.bytes = bytes}; }

void name_add(name_t *name, char byte) {
    if (name->length <= NAME_MOST && starts_character(byte)) name->whole = name->length;
    if (name->length < NAME_MOST) name->bytes[name->length] = byte;
    name->length++;
}

uint8_t name_finish(const name_t *name) { return (uint8_t)(name->length <= NAME_MOST ? name->length : name->whole); }

static int hex_digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

bool unicode_escape_ok(char escape) {
    return escape > ' ' && escape < 0x7F && hex_digit(escape) < 0 && !strchr("+'\"", escape);
}

/* -1: there are not so many digits. */
static int32_t read_hex(const char *at, const char *end, size_t digits) {
    int32_t value = 0;
    if ((size_t)(end - at) < digits) return -1;
    for (size_t index = 0; index < digits; index++) {
        int digit = hex_digit(at[index]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static void add_character(name_t *name, int32_t character) {
    if (character < 0x80) {
        name_add(name, (char)character);
        return;
    }
    int following = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    name_add(name, (char)(lead[following] | character >> (6 * following)));
    while (following-- > 0) name_add(name, (char)(0x80 | ((character >> (6 * following)) & 0x3F)));
}

/* Reads \XXXX or \+XXXXXX from behind the escape. Returns the bytes read; 0: it is neither. */
static size_t add_escaped(name_t *name, const char *at, const char *end) {
    bool long_form = at < end && *at == '+';
    size_t digits = long_form ? 6 : 4;
    int32_t character = read_hex(at + long_form, end, digits);
    bool half = character >= 0xD800 && character <= 0xDFFF;
    if (character <= 0 || character > BIGGEST_CHARACTER || half) return 0;
    add_character(name, character);
    return digits + long_form;
}

bool unicode_unescape(name_t *name, const char *text, size_t length, char escape) {
    const char *at = text, *end = text + length;
    while (at < end) {
        char byte = *at++;
        if (byte == '"') {
            at++; /* doubled */
        } else if (byte == escape && at < end && *at == escape) {
            at++;
        } else if (byte == escape) {
            size_t read = add_escaped(name, at, end);
            if (read == 0) return false;
            at += read;
            continue;
        }
        name_add(name, byte);
    }
    return true;
}
