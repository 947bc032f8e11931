#include "decoders.h"

VALUE decode_uuid_binary(const char *bytes, size_t length) {
    static const char hex[] = "0123456789abcdef";
    char text[36], *out = text;

    if (length != 16) raise_malformed("uuid");
    for (int i = 0; i < 16; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
        *out++ = hex[byte >> 4];
        *out++ = hex[byte & 15];
    }
    return rb_utf8_str_new(text, sizeof text);
}
