#include "classes.h"

VALUE mTrunkline;
VALUE mTrunklinePostgres;
VALUE mTrunklineMemcached;

/* Moving an object to another Ractor allocates another object of its class, and calls nothing else that could refuse. */
NORETURN(static VALUE refuse_to_allocate(VALUE class));
static VALUE refuse_to_allocate(VALUE class) {
    rb_raise(rb_eTypeError, "%"PRIsVALUE" can be neither allocated, copied nor moved: a client works in the main Ractor only, and neither it nor its results leave it: send the other Ractors rows or values", class);
}

void trunkline_refuse_allocation(VALUE class) {
    rb_define_alloc_func(class, refuse_to_allocate);
}

void trunkline_define_new(VALUE class, VALUE (*new)(int argc, VALUE *argv, VALUE class)) {
    trunkline_refuse_allocation(class);
    rb_define_singleton_method(class, "new", new, -1);
}

typedef struct {
    VALUE object;
    int argc;
    const VALUE *argv;
} initialisation_t;

static VALUE initialize(VALUE data) {
    const initialisation_t *given = (const initialisation_t *)data;
    rb_obj_call_init_kw(given->object, given->argc, given->argv, RB_PASS_CALLED_KEYWORDS);
    return given->object;
}

VALUE trunkline_initialized(VALUE object, int argc, const VALUE *argv) {
    initialisation_t given = {object, argc, argv};
    int state;
    rb_protect(initialize, (VALUE)&given, &state);
    if (state == 0) return object;
    rb_obj_reveal(object, rb_cObject);
    rb_jump_tag(state);
}
