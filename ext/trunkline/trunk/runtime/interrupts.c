#include "interrupts.h"

#include "../../common/classes.h"

static ID id_handle_interrupt;
static VALUE on_blocking, never;

VALUE interrupts_on_blocking(rb_block_call_func *function, VALUE data) {
    return rb_block_call(rb_cThread, id_handle_interrupt, 1, &on_blocking, function, data);
}

VALUE interrupts_never(rb_block_call_func *function, VALUE data) {
    return rb_block_call(rb_cThread, id_handle_interrupt, 1, &never, function, data);
}

static VALUE define_mask(VALUE module, const char *name, const char *when) {
    VALUE mask = rb_hash_new();
    rb_hash_aset(mask, rb_cObject, ID2SYM(rb_intern(when)));
    rb_define_const(module, name, rb_obj_freeze(mask));
    rb_gc_register_mark_object(mask);
    return mask;
}

void Init_trunkline_interrupts(void) {
    VALUE module = rb_define_module_under(mTrunkline, "Waiting");
    id_handle_interrupt = rb_intern("handle_interrupt");
    on_blocking = define_mask(module, "ON_BLOCKING", "on_blocking");
    never = define_mask(module, "NEVER", "never");
}
