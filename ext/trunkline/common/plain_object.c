#include "plain_object.h"

plain_layout_t plain_layout(VALUE class, size_t count) {
    plain_layout_t layout = {.count = count};
    VALUE names = rb_const_get(class, rb_intern("INSTANCE_VARIABLES"));
    Check_Type(names, T_ARRAY);
    if (count > sizeof layout.names / sizeof *layout.names || (size_t)RARRAY_LEN(names) != count) {
        rb_raise(rb_eArgError, "%"PRIsVALUE" has %ld instance variables, and C has %"PRIuSIZE" values for them", class, RARRAY_LEN(names), count);
    }
    for (size_t at = 0; at < count; at++) {
        VALUE name = RARRAY_AREF(names, (long)at);
        Check_Type(name, T_SYMBOL);
        layout.names[at] = SYM2ID(name);
    }
    return layout;
}

VALUE plain_object(VALUE class, const plain_layout_t *layout, const VALUE *values) {
    VALUE object = rb_obj_alloc(class);
    for (size_t at = 0; at < layout->count; at++) rb_ivar_set(object, layout->names[at], values[at]);
    return object;
}
