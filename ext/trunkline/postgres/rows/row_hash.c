#include "row_hash.h"

/* Inserts all pairs at once, so that the Hash is made in its final size. */
VALUE row_hash(VALUE names, VALUE row) {
    Check_Type(row, T_ARRAY);
    long count = RARRAY_LEN(names);
    VALUE memory, *pairs = ALLOCV_N(VALUE, memory, count * 2), hash = rb_hash_new();
    for (long at = 0; at < count; at++) {
        pairs[at * 2] = RARRAY_AREF(names, at);
        pairs[at * 2 + 1] = rb_ary_entry(row, at);
    }
    rb_hash_bulk_insert(count * 2, pairs, hash);
    ALLOCV_END(memory);
    RB_GC_GUARD(row);
    return hash;
}
