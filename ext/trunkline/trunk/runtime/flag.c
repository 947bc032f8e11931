#include "flag.h"

#include "interrupts.h"
#include "../../common/classes.h"

static size_t flag_memsize(const void *data) {
    (void)data;
    return sizeof(flag_t);
}

static const rb_data_type_t flag_type = {
    .wrap_struct_name = "Trunkline::Flag",
    .function = {.dfree = RUBY_DEFAULT_FREE, .dsize = flag_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

const flag_t *flag_checked(VALUE object) { return rb_check_typeddata(object, &flag_type); }

/* call-seq: Flag.new -> Flag
 *
 * A new flag is off. */
static VALUE flag_new(int argc, VALUE *argv, VALUE class) {
    flag_t *flag;
    (void)argv;
    rb_check_arity(argc, 0, 0);
    return TypedData_Make_Struct(class, flag_t, &flag_type, flag);
}

/* call-seq: on = true or false */
static VALUE flag_set(VALUE self, VALUE on) {
    ((flag_t *)RTYPEDDATA_DATA(self))->on = RTEST(on);
    return on;
}

static VALUE turn_off(VALUE flag) {
    ((flag_t *)flag)->on = false;
    return Qnil;
}

/* call-seq: hold { ... } -> true or false
 *
 * Runs the block with the flag on, and turns it off when the block is left in any way. False: it was on, and the block did not run. Testing and
 * setting it is one step, for threads too. */
static VALUE flag_hold(VALUE self) {
    flag_t *flag = RTYPEDDATA_DATA(self);
    if (flag->on) return Qfalse;
    flag->on = true;
    rb_ensure(rb_yield, self, turn_off, (VALUE)flag);
    RB_GC_GUARD(self);
    return Qtrue;
}

static VALUE hold_masked(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, self)) { return flag_hold(self); }

/* call-seq: hold_uninterrupted(scheduler) { ... } -> true or false
 *
 * The same with interrupts masked, except where the block waits. With a scheduler they are not: a fiber is interrupted only where it waits anyway. */
static VALUE flag_hold_uninterrupted(VALUE self, VALUE scheduler) {
    return NIL_P(scheduler) ? interrupts_on_blocking(hold_masked, self) : flag_hold(self);
}

/* call-seq: on? -> true or false */
static VALUE flag_is_on(VALUE self) { return RBOOL(((const flag_t *)RTYPEDDATA_DATA(self))->on); }

void Init_trunkline_flag(void) {
    VALUE class = rb_define_class_under(mTrunkline, "Flag", rb_cObject);
    trunkline_define_new(class, flag_new);
    rb_define_method(class, "on=", flag_set, 1);
    rb_define_method(class, "hold", flag_hold, 0);
    rb_define_method(class, "hold_uninterrupted", flag_hold_uninterrupted, 1);
    rb_define_method(class, "on?", flag_is_on, 0);
}
