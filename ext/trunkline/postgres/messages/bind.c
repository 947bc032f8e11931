#include "bind.h"

#include <ruby/encoding.h>
#include <string.h>
#include "parameter_text.h"
#include "../../bytes/big_endian.h"

#define TYPE_BYTEA 17
#define TYPE_INT8 20
#define TYPE_INT2 21
#define TYPE_INT4 23
#define TYPE_OID 26
#define TYPE_FLOAT8 701

bool bind_text_ready(VALUE string) {
    int encoding = ENCODING_GET(string);
    if (encoding != rb_utf8_encindex() && encoding != rb_usascii_encindex()) return false;
    if (rb_enc_str_coderange(string) == ENC_CODERANGE_BROKEN) return false;
    return !memchr(RSTRING_PTR(string), 0, RSTRING_LEN(string));
}

/* Upper bound of a value's bytes on the wire; UNREADY: Ruby has to convert it. */
#define UNREADY SIZE_MAX
#define DIGITS_OF_BYTE 3 /* decimal digits per byte of an Integer, a bound: 2.41 are the most */

static size_t ready_symbol(VALUE symbol) {
    VALUE name = rb_sym2str(symbol);
    return bind_text_ready(name) ? (size_t)RSTRING_LEN(name) : UNREADY;
}

static size_t ready_string(VALUE parameters, long at, VALUE value) {
    if (!bind_text_ready(value)) return UNREADY;
    if (!OBJ_FROZEN(value)) RARRAY_ASET(parameters, at, rb_str_new_frozen(value));
    return (size_t)RSTRING_LEN(value);
}

static size_t ready_bytes(VALUE parameters, long at, VALUE value) {
    if (SYMBOL_P(value)) return ready_symbol(value);
    if (RB_SPECIAL_CONST_P(value)) return 0; /* nil, true, false, small Integers, most Floats */
    switch (RB_BUILTIN_TYPE(value)) {
    case T_FLOAT: return 0;
    case T_BIGNUM: return rb_absint_size(value, NULL) * DIGITS_OF_BYTE;
    case T_STRING: return ready_string(parameters, at, value);
    default: return UNREADY;
    }
}

bool bind_ready(VALUE parameters) {
    if (RARRAY_LEN(parameters) > MOST_PARAMETERS) return false;
    size_t total = 0;
    for (long at = 0; at < RARRAY_LEN(parameters); at++) {
        VALUE value = RARRAY_AREF(parameters, at);
        if (FIXNUM_P(value)) continue;
        size_t bytes = ready_bytes(parameters, at, value);
        if (bytes > MOST_BYTES || (total += bytes) > MOST_BYTES) return false;
    }
    OBJ_FREEZE(parameters);
    return true;
}

VALUE bind_checked(VALUE parameters) {
    VALUE checked = rb_ary_dup(parameters);
    for (long at = 0; at < RARRAY_LEN(checked); at++) {
        VALUE value = RARRAY_AREF(checked, at);
        bool raw = RB_TYPE_P(value, T_STRING) && ENCODING_GET(value) == rb_ascii8bit_encindex();
        if (raw) RARRAY_ASET(checked, at, rb_str_new_frozen(value));
        else if (ready_bytes(checked, at, value) == UNREADY) rb_raise(rb_eTypeError, "parameter $%ld is nothing that can be sent as it is", at + 1);
    }
    return rb_ary_freeze(checked);
}

VALUE bind_types(VALUE types) {
    VALUE own = rb_ary_dup(types);
    for (long at = 0; at < RARRAY_LEN(own); at++) {
        VALUE oid = RARRAY_AREF(own, at);
        if (!RB_INTEGER_TYPE_P(oid)) Check_Type(oid, T_FIXNUM); /* large ones are no Fixnums on a processor of 32 bits */
        NUM2UINT(oid);
    }
    return rb_ary_freeze(own);
}

/* Whether a Bignum fits 64 bits: on a 32-bit processor many values of int4, oid and int8 are no Fixnums. */
static bool is_short(VALUE value) {
    if (sizeof(long) == sizeof(int64_t) || !RB_TYPE_P(value, T_BIGNUM)) return false;
    int unused_bits;
    size_t size = rb_absint_size(value, &unused_bits);
    return size < sizeof(int64_t) || (size == sizeof(int64_t) && unused_bits > 0);
}

static int64_t integer_of(VALUE value) { return FIXNUM_P(value) ? FIX2LONG(value) : NUM2LL(value); }

/* The next functions decide the format of one parameter. */
static bool small_integer(uint32_t type, VALUE value) {
    if (!FIXNUM_P(value) && !is_short(value)) return false;
    int64_t number = integer_of(value);
    switch (type) {
    case TYPE_INT8: return true;
    case TYPE_INT4: return number >= INT32_MIN && number <= INT32_MAX;
    case TYPE_INT2: return number >= INT16_MIN && number <= INT16_MAX;
    case TYPE_OID: return number >= 0 && number <= UINT32_MAX;
    default: return false;
    }
}

static bool raw_string(uint32_t type, VALUE value) {
    return type == TYPE_BYTEA && RB_TYPE_P(value, T_STRING) && ENCODING_GET(value) == rb_ascii8bit_encindex();
}

static bool goes_binary(uint32_t type, VALUE value) {
    return small_integer(type, value) || raw_string(type, value) || (type == TYPE_FLOAT8 && RB_FLOAT_TYPE_P(value));
}

static bool append_sized(buffer_t *buffer, const void *bytes, size_t length) {
    char size[4];
    write_u32(size, (uint32_t)length);
    return buffer_append(buffer, size, sizeof size) && buffer_append(buffer, bytes, length);
}

static bool append_integer(buffer_t *buffer, uint32_t type, int64_t number) {
    char bytes[8];
    switch (type) {
    case TYPE_INT8: write_u64(bytes, (uint64_t)number); return append_sized(buffer, bytes, 8);
    case TYPE_INT2: write_u16(bytes, (uint16_t)number); return append_sized(buffer, bytes, 2);
    default: write_u32(bytes, (uint32_t)number); return append_sized(buffer, bytes, 4);
    }
}

static bool append_binary(buffer_t *buffer, uint32_t type, VALUE value) {
    if (RB_INTEGER_TYPE_P(value)) return append_integer(buffer, type, integer_of(value));
    if (RB_TYPE_P(value, T_STRING)) return append_sized(buffer, RSTRING_PTR(value), RSTRING_LEN(value));
    char bytes[8];
    double number = RFLOAT_VALUE(value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    write_u64(bytes, bits);
    return append_sized(buffer, bytes, sizeof bytes);
}

static bool append_decimal(buffer_t *buffer, long number) {
    char digits[LONGEST_DECIMAL];
    return append_sized(buffer, digits, decimal_text(number, digits));
}

static bool append_float(buffer_t *buffer, double number) {
    char digits[LONGEST_FLOAT];
    return append_sized(buffer, digits, float_text(number, digits));
}

/* The text of a bytea. */
static bool append_hex(buffer_t *buffer, const char *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    char size[4];
    write_u32(size, (uint32_t)(2 + length * 2));
    if (!buffer_append(buffer, size, sizeof size) || !buffer_append(buffer, "\\x", 2)) return false;
    if (!buffer_reserve(buffer, length * 2)) return false;
    for (size_t at = 0; at < length; at++) {
        buffer->start[buffer->tail++] = digits[(unsigned char)bytes[at] >> 4];
        buffer->start[buffer->tail++] = digits[bytes[at] & 15];
    }
    return true;
}

static VALUE text_of(VALUE value) {
    if (RB_TYPE_P(value, T_STRING)) return value;
    return SYMBOL_P(value) ? rb_sym2str(value) : rb_big2str(value, 10);
}

static bool append_text(buffer_t *buffer, VALUE value) {
    if (FIXNUM_P(value)) return append_decimal(buffer, FIX2LONG(value));
    if (RB_FLOAT_TYPE_P(value)) return append_float(buffer, RFLOAT_VALUE(value));
    if (value == Qtrue) return append_sized(buffer, "true", 4);
    if (value == Qfalse) return append_sized(buffer, "false", 5);
    VALUE string = text_of(value);
    bool bytea = ENCODING_GET(string) == rb_ascii8bit_encindex();
    bool done = bytea ? append_hex(buffer, RSTRING_PTR(string), RSTRING_LEN(string)) : append_sized(buffer, RSTRING_PTR(string), RSTRING_LEN(string));
    RB_GC_GUARD(string);
    return done;
}

static bool append_value(buffer_t *buffer, uint32_t type, VALUE value) {
    if (NIL_P(value)) return buffer_append(buffer, "\xff\xff\xff\xff", 4);
    return goes_binary(type, value) ? append_binary(buffer, type, value) : append_text(buffer, value);
}

static bool append_count(buffer_t *buffer, long count) {
    char bytes[2];
    write_u16(bytes, (uint16_t)count);
    return buffer_append(buffer, bytes, sizeof bytes);
}

/* A format code for each parameter, or none where all are text. */
static bool append_formats(buffer_t *buffer, VALUE parameters, const uint32_t *types) {
    long count = types ? RARRAY_LEN(parameters) : 0;
    if (!append_count(buffer, count)) return false;
    for (long at = 0; at < count; at++) {
        if (!append_count(buffer, goes_binary(types[at], RARRAY_AREF(parameters, at)))) return false;
    }
    return true;
}

bool bind_append(buffer_t *buffer, span_t portal, span_t name, VALUE parameters, const uint32_t *types, bool binary) {
    size_t mark;
    long count = RARRAY_LEN(parameters);
    if (!frontend_open(buffer, 'B', &mark)) return false;
    if (!buffer_append(buffer, portal.bytes, portal.length + 1) || !buffer_append(buffer, name.bytes, name.length + 1)) return false;
    if (!append_formats(buffer, parameters, types) || !append_count(buffer, count)) return false;
    for (long at = 0; at < count; at++) {
        if (!append_value(buffer, types ? types[at] : 0, RARRAY_AREF(parameters, at))) return false;
    }
    if (!append_count(buffer, 1) || !append_count(buffer, binary)) return false;
    return frontend_close(buffer, mark);
}
