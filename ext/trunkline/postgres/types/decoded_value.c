#include "decoded_value.h"

static VALUE eProtocolError, plus_infinity, minus_infinity;

VALUE infinity_value(bool negative) {
    return negative ? minus_infinity : plus_infinity;
}

void raise_malformed(const char *type_name) {
    rb_raise(eProtocolError, "malformed value of type %s", type_name);
}

static VALUE registered(VALUE object) {
    rb_gc_register_mark_object(object);
    return object;
}

void Init_trunkline_decoded_value(void) {
    eProtocolError = registered(rb_path2class("Trunkline::ProtocolError"));
    plus_infinity = registered(rb_const_get(rb_cFloat, rb_intern("INFINITY")));
    minus_infinity = registered(DBL2NUM(-RFLOAT_VALUE(plus_infinity)));
}
