#include "copy_binary.h"

/* Arrays -> rows of COPY FROM STDIN in the binary format. https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4 */
#include <ruby.h>
#include <ruby/encoding.h>
#include <stdbool.h>
#include <string.h>
#include "../messages/bind.h"
#include "../../bytes/big_endian.h"
#include "../../bytes/buffer.h"
#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

#define JSONB_VERSION "\1"

enum {
    TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_NAME = 19, TYPE_INT8 = 20, TYPE_INT2 = 21, TYPE_INT4 = 23, TYPE_TEXT = 25, TYPE_OID = 26,
    TYPE_JSON = 114, TYPE_XML = 142, TYPE_FLOAT4 = 700, TYPE_FLOAT8 = 701, TYPE_BPCHAR = 1042, TYPE_VARCHAR = 1043, TYPE_JSONB = 3802,
};

#define LONGEST_VALUE 0x3ffffffe /* bytes: no server accepts more, and lengths have 32 bits */

typedef enum { APPENDED, NEEDS_RUBY, NO_MEMORY, TOO_LONG } outcome_t;

static outcome_t append_sized(buffer_t *buffer, const void *bytes, size_t length) {
    char size[4];
    if (length > LONGEST_VALUE) return TOO_LONG;
    write_u32(size, (uint32_t)length);
    return buffer_append(buffer, size, sizeof size) && buffer_append(buffer, bytes, length) ? APPENDED : NO_MEMORY;
}

static outcome_t append_integer(buffer_t *buffer, uint32_t type, int64_t number) {
    char bytes[8];
    switch (type) {
    case TYPE_INT8: write_u64(bytes, (uint64_t)number); return append_sized(buffer, bytes, 8);
    case TYPE_INT4:
        if (number < INT32_MIN || number > INT32_MAX) return NEEDS_RUBY;
        write_u32(bytes, (uint32_t)number);
        return append_sized(buffer, bytes, 4);
    case TYPE_INT2:
        if (number < INT16_MIN || number > INT16_MAX) return NEEDS_RUBY;
        write_u16(bytes, (uint16_t)number);
        return append_sized(buffer, bytes, 2);
    case TYPE_OID:
        if (number < 0 || number > UINT32_MAX) return NEEDS_RUBY;
        write_u32(bytes, (uint32_t)number);
        return append_sized(buffer, bytes, 4);
    default: return NEEDS_RUBY;
    }
}

/* Ruby has checked that it fits a bigint. Some values of other types are no Fixnums on a 32-bit processor. */
static outcome_t append_bignum(buffer_t *buffer, uint32_t type, VALUE number) {
    if (type != TYPE_INT8 && rb_absint_size(number, NULL) > sizeof(uint32_t)) return NEEDS_RUBY;
    return append_integer(buffer, type, NUM2LL(number));
}

static outcome_t append_float(buffer_t *buffer, uint32_t type, double number) {
    char bytes[8];
    uint64_t bits;
    uint32_t half;
    float shorter = (float)number;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&half, &shorter, sizeof half);
    write_u64(bytes, bits);
    if (type == TYPE_FLOAT8) return append_sized(buffer, bytes, 8);
    write_u32(bytes, half);
    return type == TYPE_FLOAT4 ? append_sized(buffer, bytes, 4) : NEEDS_RUBY;
}

static outcome_t append_jsonb(buffer_t *buffer, VALUE string) {
    char size[4];
    if (RSTRING_LEN(string) >= LONGEST_VALUE) return TOO_LONG;
    write_u32(size, (uint32_t)RSTRING_LEN(string) + 1);
    bool done = buffer_append(buffer, size, sizeof size) && buffer_append(buffer, JSONB_VERSION, 1) &&
                buffer_append(buffer, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    return done ? APPENDED : NO_MEMORY;
}

static outcome_t append_string(buffer_t *buffer, uint32_t type, VALUE string, bool converted) {
    bool raw = ENCODING_GET(string) == rb_ascii8bit_encindex();
    if (raw && (converted || type == TYPE_BYTEA)) return append_sized(buffer, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    if (raw || !bind_text_ready(string)) return NEEDS_RUBY;
    switch (type) {
    case TYPE_TEXT: case TYPE_VARCHAR: case TYPE_BPCHAR: case TYPE_NAME: case TYPE_JSON: case TYPE_XML:
        return append_sized(buffer, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    case TYPE_JSONB: return append_jsonb(buffer, string);
    default: return NEEDS_RUBY;
    }
}

static outcome_t append_value(buffer_t *buffer, uint32_t type, VALUE value, bool converted) {
    if (NIL_P(value)) return buffer_append(buffer, "\xff\xff\xff\xff", 4) ? APPENDED : NO_MEMORY;
    if (value == Qtrue || value == Qfalse) return type == TYPE_BOOL ? append_sized(buffer, value == Qtrue ? "\1" : "\0", 1) : NEEDS_RUBY;
    if (FIXNUM_P(value)) return append_integer(buffer, type, FIX2LONG(value));
    if (RB_TYPE_P(value, T_BIGNUM)) return converted ? append_bignum(buffer, type, value) : NEEDS_RUBY;
    if (RB_FLOAT_TYPE_P(value)) return append_float(buffer, type, RFLOAT_VALUE(value));
    if (SYMBOL_P(value)) return append_string(buffer, type, rb_sym2str(value), converted);
    return RB_TYPE_P(value, T_STRING) ? append_string(buffer, type, value, converted) : NEEDS_RUBY;
}

static outcome_t append_row(buffer_t *buffer, VALUE row, VALUE types, bool converted) {
    char count[2];
    write_u16(count, (uint16_t)RARRAY_LEN(row));
    outcome_t outcome = buffer_append(buffer, count, sizeof count) ? APPENDED : NO_MEMORY;
    for (long at = 0; at < RARRAY_LEN(row) && outcome == APPENDED; at++) {
        outcome = append_value(buffer, NUM2UINT(RARRAY_AREF(types, at)), RARRAY_AREF(row, at), converted);
    }
    return outcome;
}

/* call-seq: copy_binary(bytes, row, types, converted) -> Integer or nil
 *
 * Appends the values of the Array, for columns of the types whose OIDs the other Array has, to the Bytes, and returns their size. Nil, with nothing
 * appended: Ruby has to convert a value first. With converted, binary Strings are values in binary format. */
static VALUE postgres_copy_binary(VALUE self, VALUE bytes, VALUE row, VALUE types, VALUE converted) {
    Check_Type(row, T_ARRAY);
    Check_Type(types, T_ARRAY);
    if (RARRAY_LEN(row) != RARRAY_LEN(types)) rb_raise(rb_eArgError, "there are not as many values as types");
    if (!rb_obj_is_kind_of(bytes, cTrunklineBytes)) rb_raise(rb_eTypeError, "no Bytes");
    buffer_t *buffer = bytes_buffer(bytes);
    size_t before = buffer_size(buffer);
    outcome_t outcome = append_row(buffer, row, types, RTEST(converted));
    if (outcome == APPENDED) return SIZET2NUM(buffer_size(buffer));
    buffer->tail = buffer->head + before;
    if (outcome == NO_MEMORY) rb_memerror();
    if (outcome == TOO_LONG) rb_raise(rb_eArgError, "a value of the row has more than the %d bytes that the server takes of one", LONGEST_VALUE);
    return Qnil;
}

void Init_trunkline_copy_binary(void) { rb_define_module_function(mTrunklinePostgres, "copy_binary", postgres_copy_binary, 4); }
