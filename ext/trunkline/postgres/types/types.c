#include "types.h"

#include "column_decoder.h"
#include "decoders.h"

/* call-seq: builtin_type(oid) -> [oid, array, name, array_oid], or nil
 *
 * For a type or its array type: the type's OID, whether the array type was given, the type's name, and the array type's OID (0: there is none). */
static VALUE postgres_builtin_type(VALUE self, VALUE oid) {
    column_decoder_t decoder;

    if (!column_decoder_for(NUM2UINT(oid), &decoder)) return Qnil;
    const pg_type_t *type = decoder.type;
    VALUE array = decoder.array ? Qtrue : Qfalse, name = rb_utf8_str_new_cstr(type->name);
    return rb_ary_new_from_args(4, UINT2NUM(type->oid), array, name, UINT2NUM(type->array_oid));
}

/* call-seq: decode(oid, array, format, bytes, memory = RowMemory.new) -> value
 *
 * Decodes one value of a built-in type, or of its array type; format 0 is text, 1 binary. Any other OID decodes to text. The value counts for the
 * row's memory; beyond its limit UnreadableResult is raised. */
static VALUE postgres_decode(int argc, VALUE *argv, VALUE self) {
    column_decoder_t decoder;
    row_memory_t unshared = row_memory_of(ROW_MEMORY_BY_DEFAULT);

    rb_check_arity(argc, 4, 5);
    row_memory_t *memory = argc == 5 ? row_memory_checked(argv[4]) : &unshared;
    column_decoder_for(NUM2UINT(argv[0]), &decoder);
    decoder.array = decoder.array || RTEST(argv[1]);
    VALUE string = argv[3];
    StringValue(string);
    string = rb_str_new_frozen(string);
    size_t length = (size_t)RSTRING_LEN(string);
    VALUE value = column_decode(&decoder, NUM2INT(argv[2]), RSTRING_PTR(string), length, memory);
    if (!decoder.array) count_value(decoder.type, value, length, memory);
    RB_GC_GUARD(string);
    if (argc == 5) RB_GC_GUARD(argv[4]);
    return value;
}

void Init_trunkline_types(VALUE mTrunklinePostgres) {
    rb_define_module_function(mTrunklinePostgres, "builtin_type", postgres_builtin_type, 1);
    rb_define_module_function(mTrunklinePostgres, "decode", postgres_decode, -1);
}
