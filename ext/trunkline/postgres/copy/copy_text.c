#include "copy_text.h"

/* Arrays -> lines of COPY FROM STDIN in the text format. https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
#include <ruby.h>
#include <ruby/encoding.h>
#include <stdbool.h>
#include "../messages/bind.h"
#include "../messages/parameter_text.h"
#include "../../bytes/buffer.h"
#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

typedef enum { APPENDED, NEEDS_RUBY, NO_MEMORY } outcome_t;

/* The letters that are written behind a backslash for bytes with a special meaning. */
static const char escapes[256] = {
    ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\v'] = 'v', ['\\'] = '\\',
};

static outcome_t append(buffer_t *buffer, const char *bytes, size_t length) {
    return buffer_append(buffer, bytes, length) ? APPENDED : NO_MEMORY;
}

static outcome_t append_escaped(buffer_t *buffer, const char *bytes, size_t length) {
    if (!buffer_reserve(buffer, length * 2)) return NO_MEMORY;
    char *to = buffer->start + buffer->tail;
    for (size_t at = 0; at < length; at++) {
        char escape = escapes[(unsigned char)bytes[at]];
        if (escape) *to++ = '\\';
        *to++ = escape ? escape : bytes[at];
    }
    buffer->tail = (size_t)(to - buffer->start);
    return APPENDED;
}

/* The text of a bytea begins with a backslash, which is doubled. */
static outcome_t append_hex(buffer_t *buffer, const char *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    if (!buffer_append(buffer, "\\\\x", 3) || !buffer_reserve(buffer, length * 2)) return NO_MEMORY;
    for (size_t at = 0; at < length; at++) {
        buffer->start[buffer->tail++] = digits[(unsigned char)bytes[at] >> 4];
        buffer->start[buffer->tail++] = digits[bytes[at] & 15];
    }
    return APPENDED;
}

static outcome_t append_string(buffer_t *buffer, VALUE string, bool converted) {
    bool raw = ENCODING_GET(string) == rb_ascii8bit_encindex();
    if (raw && !converted) return NEEDS_RUBY;
    if (raw) return append_hex(buffer, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    return bind_text_ready(string) ? append_escaped(buffer, RSTRING_PTR(string), (size_t)RSTRING_LEN(string)) : NEEDS_RUBY;
}

static outcome_t append_integer(buffer_t *buffer, long number) {
    char digits[LONGEST_DECIMAL];
    return append(buffer, digits, decimal_text(number, digits));
}

static outcome_t append_float(buffer_t *buffer, double number) {
    char digits[LONGEST_FLOAT];
    return append(buffer, digits, float_text(number, digits));
}

static outcome_t append_bignum(buffer_t *buffer, VALUE number) {
    VALUE digits = rb_big2str(number, 10);
    outcome_t outcome = append(buffer, RSTRING_PTR(digits), (size_t)RSTRING_LEN(digits));
    RB_GC_GUARD(digits);
    return outcome;
}

static outcome_t append_value(buffer_t *buffer, VALUE value, bool converted) {
    if (NIL_P(value)) return append(buffer, "\\N", 2);
    if (value == Qtrue) return append(buffer, "t", 1);
    if (value == Qfalse) return append(buffer, "f", 1);
    if (FIXNUM_P(value)) return append_integer(buffer, FIX2LONG(value));
    if (SYMBOL_P(value)) return append_string(buffer, rb_sym2str(value), converted);
    if (RB_FLOAT_TYPE_P(value)) return append_float(buffer, RFLOAT_VALUE(value));
    if (RB_TYPE_P(value, T_STRING)) return append_string(buffer, value, converted);
    return RB_TYPE_P(value, T_BIGNUM) ? append_bignum(buffer, value) : NEEDS_RUBY;
}

static outcome_t append_row(buffer_t *buffer, VALUE row, bool converted) {
    outcome_t outcome = APPENDED;
    for (long at = 0; at < RARRAY_LEN(row) && outcome == APPENDED; at++) {
        if (at > 0) outcome = append(buffer, "\t", 1);
        if (outcome == APPENDED) outcome = append_value(buffer, RARRAY_AREF(row, at), converted);
    }
    return outcome == APPENDED ? append(buffer, "\n", 1) : outcome;
}

/* call-seq: copy_text(bytes, row, converted) -> Integer or nil
 *
 * Appends a line with the values of the Array to the Bytes, and returns their size. Nil, with nothing appended: Ruby has to convert a value first.
 * With converted, values are converted already, and binary Strings are for a bytea. */
static VALUE postgres_copy_text(VALUE self, VALUE bytes, VALUE row, VALUE converted) {
    Check_Type(row, T_ARRAY);
    if (!rb_obj_is_kind_of(bytes, cTrunklineBytes)) rb_raise(rb_eTypeError, "no Bytes");
    buffer_t *buffer = bytes_buffer(bytes);
    size_t before = buffer_size(buffer);
    outcome_t outcome = append_row(buffer, row, RTEST(converted));
    if (outcome == APPENDED) return SIZET2NUM(buffer_size(buffer));
    buffer->tail = buffer->head + before;
    if (outcome == NO_MEMORY) rb_memerror();
    return Qnil;
}

void Init_trunkline_copy_text(void) { rb_define_module_function(mTrunklinePostgres, "copy_text", postgres_copy_text, 3); }
