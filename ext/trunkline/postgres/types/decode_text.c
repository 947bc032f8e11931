#include "decoders.h"

#include <ruby/encoding.h>

/* As rb_utf8_str_new, without its lookup of the encoding. */
VALUE decode_text(const char *bytes, size_t length) {
    VALUE string = rb_str_new(bytes, (long)length);
    RB_ENCODING_SET_INLINED(string, rb_utf8_encindex());
    return string;
}

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* The one-byte type: newer servers write bytes above 127 as "\377". */
VALUE decode_char_text(const char *bytes, size_t length) {
    if (length <= 1) return decode_text(bytes, length);
    if (length != 4 || bytes[0] != '\\' || !is_octal(bytes[1]) || !is_octal(bytes[2]) || !is_octal(bytes[3])) {
        raise_malformed("\"char\"");
    }
    char byte = (char)((bytes[1] - '0') << 6 | (bytes[2] - '0') << 3 | (bytes[3] - '0'));
    return decode_text(&byte, 1);
}

/* The byte 0 stands for the empty value, which the text format leaves empty. */
VALUE decode_char_binary(const char *bytes, size_t length) {
    if (length != 1) raise_malformed("\"char\"");
    return decode_text(bytes, *bytes == 0 ? 0 : 1);
}

/* A version number precedes the JSON text. */
VALUE decode_jsonb_binary(const char *bytes, size_t length) {
    if (length < 1 || *bytes != 1) raise_malformed("jsonb");
    return decode_text(bytes + 1, length - 1);
}
