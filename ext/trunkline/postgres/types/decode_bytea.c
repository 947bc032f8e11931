#include "decoders.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static VALUE decode_hex(const char *bytes, size_t length) {
    if (length % 2 != 0) raise_malformed("bytea");
    VALUE string = rb_str_new(NULL, (long)(length / 2));
    char *out = RSTRING_PTR(string);

    for (size_t i = 0; i < length; i += 2) {
        int high = hex_digit(bytes[i]), low = hex_digit(bytes[i + 1]);
        if ((high | low) < 0) raise_malformed("bytea");
        *out++ = (char)(high << 4 | low);
    }
    return string;
}

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

static bool is_octal_byte(const char *at, const char *end) {
    return end - at >= 3 && is_octal(at[0]) && at[0] <= '3' && is_octal(at[1]) && is_octal(at[2]);
}

/* bytea_output = escape: a backslash is doubled, other bytes may be "\ooo". */
static VALUE decode_escape(const char *bytes, size_t length) {
    const char *at = bytes, *end = bytes + length;
    VALUE string = rb_str_new(NULL, (long)length);
    char *start = RSTRING_PTR(string), *out = start;

    while (at < end) {
        if (*at != '\\') {
            *out++ = *at++;
        }
        else if (end - at >= 2 && at[1] == '\\') {
            *out++ = '\\';
            at += 2;
        }
        else if (is_octal_byte(at + 1, end)) {
            *out++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 4;
        }
        else {
            raise_malformed("bytea");
        }
    }
    rb_str_set_len(string, out - start);
    return string;
}

VALUE decode_bytea_text(const char *bytes, size_t length) {
    if (length >= 2 && bytes[0] == '\\' && bytes[1] == 'x') return decode_hex(bytes + 2, length - 2);
    return decode_escape(bytes, length);
}

VALUE decode_bytea_binary(const char *bytes, size_t length) {
    return rb_str_new(bytes, (long)length);
}
