#include "decode_numeric.h"
#include "decoders.h"
#include "numeric_binary.h"

#include <string.h>

enum { SMALL_DIGITS = 18 /* always fit 64 bits */ };

static ID id_BigDecimal;
static VALUE not_a_number, plus_infinity, minus_infinity;

/* Parses a small whole number: BigDecimal() converts an Integer in less than half the time of a String. */
static bool small_integer(const char *digits, size_t length, int64_t *value) {
    bool negative = *digits == '-';
    const char *at = digits + negative, *end = digits + length;

    if (end - at > SMALL_DIGITS) return false;
    for (*value = 0; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        *value = *value * 10 + (*at - '0');
    }
    if (negative) *value = -*value;
    return true;
}

static VALUE big_decimal(const char *digits, size_t length) {
    int64_t small;
    bool whole = small_integer(digits, length, &small);
    VALUE source = whole ? LL2NUM(small) : rb_usascii_str_new(digits, (long)length);

    return rb_funcall(rb_mKernel, id_BigDecimal, 1, source);
}

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

/* BigDecimal() accepts more than a server may send (blanks, underscores, exponents). */
static bool is_plain_decimal(const char *bytes, size_t length) {
    const char *end = bytes + length, *at = bytes + (length > 0 && *bytes == '-');
    const char *point = skip_digits(at, end);

    if (point == at) return false;
    if (point == end) return true;
    return *point == '.' && end - point > 1 && skip_digits(point + 1, end) == end;
}

static bool is_word(const char *bytes, size_t length, const char *word) {
    return length == strlen(word) && memcmp(bytes, word, length) == 0;
}

/* BigDecimal() raises for these if BigDecimal.mode says so. Nil: it is none of them. */
static VALUE special(const char *bytes, size_t length) {
    if (is_word(bytes, length, "NaN")) return not_a_number;
    if (is_word(bytes, length, "Infinity")) return plus_infinity;
    return is_word(bytes, length, "-Infinity") ? minus_infinity : Qnil;
}

VALUE decode_numeric_text(const char *bytes, size_t length) {
    if (is_plain_decimal(bytes, length)) return big_decimal(bytes, length);
    VALUE value = special(bytes, length);
    if (NIL_P(value)) raise_malformed("numeric");
    return value;
}

VALUE decode_numeric_binary(const char *bytes, size_t length) {
    VALUE buffer;
    char *digits = ALLOCV_N(char, buffer, numeric_binary_capacity(length));
    size_t printed = numeric_binary_print(bytes, length, digits);
    if (printed == 0) raise_malformed("numeric");
    VALUE value = special(digits, printed);
    if (NIL_P(value)) value = big_decimal(digits, printed);
    ALLOCV_END(buffer);
    return value;
}

void Init_trunkline_decode_numeric(void) {
    rb_require("bigdecimal");
    id_BigDecimal = rb_intern("BigDecimal");
    VALUE class = rb_path2class("BigDecimal");
    not_a_number = rb_const_get(class, rb_intern("NAN"));
    plus_infinity = rb_const_get(class, rb_intern("INFINITY"));
    minus_infinity = rb_funcall(plus_infinity, rb_intern("-@"), 0);
    rb_gc_register_mark_object(not_a_number);
    rb_gc_register_mark_object(plus_infinity);
    rb_gc_register_mark_object(minus_infinity);
}
