#include "decoders.h"

static VALUE eProtocolError, plus_infinity, minus_infinity;

VALUE infinity_value(bool negative) {
    return negative ? minus_infinity : plus_infinity;
}

VALUE plain_value(VALUE class, size_t count, const ID *names, const VALUE *parts) {
    VALUE value = rb_obj_alloc(class);
    for (size_t at = 0; at < count; at++) rb_ivar_set(value, names[at], parts[at]);
    return rb_obj_freeze(value);
}

void raise_malformed(const char *type_name) {
    rb_raise(eProtocolError, "malformed value of type %s", type_name);
}

/* call-seq: builtin_type(oid) -> [oid, array, name, array_oid], or nil
 *
 * Of a type or of the array of it: the type's own OID, whether the array was asked for, the type's name, and the
 * array's OID (0: there is none). */
static VALUE postgres_builtin_type(VALUE self, VALUE oid) {
    column_decoder_t decoder;

    if (!column_decoder_for(NUM2UINT(oid), &decoder)) return Qnil;
    const pg_type_t *type = decoder.type;
    VALUE array = decoder.array ? Qtrue : Qfalse, name = rb_utf8_str_new_cstr(type->name);
    return rb_ary_new_from_args(4, UINT2NUM(type->oid), array, name, UINT2NUM(type->array_oid));
}

/* Bytes, of the keyword max_message; where it is not given, as many as a client allows that is not told otherwise. */
static size_t limit_of(VALUE options) {
    static ID names[1];
    VALUE given;

    if (!names[0]) names[0] = rb_intern("max_message");
    rb_get_kwargs(options, names, 0, 1, &given);
    return given == Qundef ? (size_t)1 << 28 : NUM2SIZET(given);
}

/* call-seq: decode(oid, array, format, bytes, max_message: 256 MiB) -> value
 *
 * Decodes one value of a built-in type, or of an array of it; format 0 is text, 1 binary. Any other OID is text. The Arrays in the value
 * take no more bytes of memory than max_message: beyond that, UnreadableResult is raised. */
static VALUE postgres_decode(int argc, VALUE *argv, VALUE self) {
    VALUE oid, array, format, string, options;
    column_decoder_t decoder;

    rb_scan_args(argc, argv, "4:", &oid, &array, &format, &string, &options);
    size_t limit = limit_of(options);
    column_decoder_for(NUM2UINT(oid), &decoder);
    decoder.array = decoder.array || RTEST(array);
    StringValue(string);
    string = rb_str_new_frozen(string);
    arrays_limit(limit);
    VALUE value = column_decode(&decoder, NUM2INT(format), RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    RB_GC_GUARD(string);
    return value;
}

static VALUE registered(VALUE object) {
    rb_gc_register_mark_object(object);
    return object;
}

void Init_trunkline_types(VALUE mTrunklinePostgres) {
    eProtocolError = registered(rb_path2class("Trunkline::ProtocolError"));
    plus_infinity = registered(rb_const_get(rb_cFloat, rb_intern("INFINITY")));
    minus_infinity = registered(DBL2NUM(-RFLOAT_VALUE(plus_infinity)));

    Init_trunkline_catalogue();
    Init_trunkline_decode_date();
    Init_trunkline_decode_interval();
    Init_trunkline_decode_numeric();
    Init_trunkline_decode_time();
    rb_define_module_function(mTrunklinePostgres, "builtin_type", postgres_builtin_type, 1);
    rb_define_module_function(mTrunklinePostgres, "decode", postgres_decode, -1);
}
