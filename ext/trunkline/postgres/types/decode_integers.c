#include "decoders.h"
#include "../../bytes/big_endian.h"

/* Digits with an optional minus sign, between the limits; anything else is malformed. */
static int64_t parse_integer(const char *bytes, size_t length, int64_t min, int64_t max, const char *type_name) {
    const char *at = bytes, *end = bytes + length;
    bool negative = at < end && *at == '-';
    int64_t value = 0;

    if (negative) at++;
    if (at == end) raise_malformed(type_name);
    for (; at < end; at++) {
        unsigned digit = (unsigned char)*at - (unsigned)'0';

        /* Negative while digits are added: the smallest number has no positive counterpart. */
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value)) {
            raise_malformed(type_name);
        }
    }
    if (!negative && __builtin_sub_overflow(INT64_C(0), value, &value)) raise_malformed(type_name);
    if (value < min || value > max) raise_malformed(type_name);
    return value;
}

static void check_length(size_t length, size_t expected, const char *type_name) {
    if (length != expected) raise_malformed(type_name);
}

VALUE decode_int2_text(const char *bytes, size_t length) {
    return LONG2FIX((long)parse_integer(bytes, length, INT16_MIN, INT16_MAX, "smallint"));
}

VALUE decode_int2_binary(const char *bytes, size_t length) {
    check_length(length, 2, "smallint");
    return INT2FIX((int16_t)read_u16(bytes));
}

VALUE decode_int4_text(const char *bytes, size_t length) {
    return LL2NUM(parse_integer(bytes, length, INT32_MIN, INT32_MAX, "integer"));
}

VALUE decode_int4_binary(const char *bytes, size_t length) {
    check_length(length, 4, "integer");
    return INT2NUM((int32_t)read_u32(bytes));
}

VALUE decode_int8_text(const char *bytes, size_t length) {
    return LL2NUM(parse_integer(bytes, length, INT64_MIN, INT64_MAX, "bigint"));
}

VALUE decode_int8_binary(const char *bytes, size_t length) {
    check_length(length, 8, "bigint");
    return LL2NUM((int64_t)read_u64(bytes));
}

VALUE decode_oid_text(const char *bytes, size_t length) {
    return LL2NUM(parse_integer(bytes, length, 0, UINT32_MAX, "oid"));
}

VALUE decode_oid_binary(const char *bytes, size_t length) {
    check_length(length, 4, "oid");
    return UINT2NUM(read_u32(bytes));
}
