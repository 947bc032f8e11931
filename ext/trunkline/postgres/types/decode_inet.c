#include "decoders.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* The server's own numbers for the two families. */
enum { SERVER_INET = 2, SERVER_INET6 = 3, HEADER = 4 };

/* Header: family, prefix length, whether it is a cidr, count of address bytes. */
static VALUE decode_network(const char *bytes, size_t length, bool always_prefix, const char *type_name) {
    char text[INET6_ADDRSTRLEN + 4];

    if (length < HEADER) raise_malformed(type_name);
    bool wide = bytes[0] == SERVER_INET6;
    unsigned size = wide ? 16 : 4, prefix = (unsigned char)bytes[1];
    if (!wide && bytes[0] != SERVER_INET) raise_malformed(type_name);
    if (prefix > size * 8 || (unsigned char)bytes[3] != size || length != HEADER + size) raise_malformed(type_name);

    inet_ntop(wide ? AF_INET6 : AF_INET, bytes + HEADER, text, sizeof text);
    size_t written = strlen(text);
    if (always_prefix || prefix < size * 8) {
        written += (size_t)snprintf(text + written, sizeof text - written, "/%u", prefix);
    }
    return rb_utf8_str_new(text, (long)written);
}

VALUE decode_inet_binary(const char *bytes, size_t length) {
    return decode_network(bytes, length, false, "inet");
}

VALUE decode_cidr_binary(const char *bytes, size_t length) {
    return decode_network(bytes, length, true, "cidr");
}
