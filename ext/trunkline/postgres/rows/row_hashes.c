#include "row_hashes.h"

/* Rows -> Hashes for adapters, which have names and conversions of their own. */
#include "row_hash.h"
#include "../../common/classes.h"

static ID id_call;

/* A converter in Ruby may do anything, so each access is checked. */
static void convert(VALUE row, VALUE converters) {
    for (long at = 0; at < RARRAY_LEN(converters); at++) {
        VALUE converter = rb_ary_entry(converters, at), value = rb_ary_entry(row, at);
        if (!NIL_P(converter) && !NIL_P(value)) rb_ary_store(row, at, rb_funcall(converter, id_call, 1, value));
    }
}

/* call-seq: convert(rows, converters) -> rows
 *
 * Converts the rows' values, in place. converters: an Array with a callable or nil for each column; values that are nil stay. */
static VALUE postgres_convert(VALUE self, VALUE rows, VALUE converters) {
    Check_Type(rows, T_ARRAY);
    Check_Type(converters, T_ARRAY);
    for (long at = 0; at < RARRAY_LEN(rows); at++) {
        VALUE row = RARRAY_AREF(rows, at);
        Check_Type(row, T_ARRAY);
        convert(row, converters);
    }
    return rows;
}

/* call-seq: each_hash(rows, keys, converters) { |hash| } -> rows
 *
 * Yields each row, an Array, as a Hash with these keys; of two equal keys the later one counts. converters: nil, or an Array with a callable or nil
 * for each column, which converts values other than nil. */
static VALUE postgres_each_hash(VALUE self, VALUE rows, VALUE keys, VALUE converters) {
    Check_Type(rows, T_ARRAY);
    Check_Type(keys, T_ARRAY);
    if (!NIL_P(converters)) Check_Type(converters, T_ARRAY);
    for (long at = 0; at < RARRAY_LEN(rows); at++) {
        VALUE row = RARRAY_AREF(rows, at);
        Check_Type(row, T_ARRAY);
        if (!NIL_P(converters)) convert(row, converters);
        rb_yield(row_hash(keys, row));
    }
    return rows;
}

void Init_trunkline_row_hashes(void) {
    id_call = rb_intern("call");
    rb_define_module_function(mTrunklinePostgres, "convert", postgres_convert, 2);
    rb_define_module_function(mTrunklinePostgres, "each_hash", postgres_each_hash, 3);
}
