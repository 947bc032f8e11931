#include "row_hash.h"

/* Columns up to which the pairs are on the stack: as many as values in row.c, and measured with these. */
#define PAIRS_ON_STACK 32

/* Inserts all pairs at once, so that the Hash is made in its final size. */
VALUE row_hash(VALUE names, VALUE row) {
    Check_Type(row, T_ARRAY);
    VALUE memory = 0, stack[PAIRS_ON_STACK * 2], *pairs = stack, hash = rb_hash_new();
    long count = RARRAY_LEN(names);
    if (count > PAIRS_ON_STACK) pairs = ALLOCV_N(VALUE, memory, count * 2);
    for (long at = 0; at < count; at++) {
        pairs[at * 2] = RARRAY_AREF(names, at);
        pairs[at * 2 + 1] = rb_ary_entry(row, at);
    }
    rb_hash_bulk_insert(count * 2, pairs, hash);
    ALLOCV_END(memory);
    RB_GC_GUARD(row);
    return hash;
}
