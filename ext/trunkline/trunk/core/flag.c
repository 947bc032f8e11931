#include "flag.h"

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
 * It is off. */
static VALUE flag_new(int argc, VALUE *argv, VALUE class) {
    flag_t *flag;
    (void)argv;
    rb_check_arity(argc, 0, 0);
    return TypedData_Make_Struct(class, flag_t, &flag_type, flag);
}

/* call-seq: on = true or false */
static VALUE flag_turn(VALUE self, VALUE on) {
    ((flag_t *)RTYPEDDATA_DATA(self))->on = RTEST(on);
    return on;
}

/* call-seq: turn_on -> true or false
 *
 * In one step, for threads too. False: it was on. */
static VALUE flag_turn_on(VALUE self) {
    flag_t *flag = RTYPEDDATA_DATA(self);
    bool was_on = flag->on;
    flag->on = true;
    return RBOOL(!was_on);
}

/* call-seq: on? -> true or false */
static VALUE flag_is_on(VALUE self) { return RBOOL(((const flag_t *)RTYPEDDATA_DATA(self))->on); }

void Init_trunkline_flag(void) {
    VALUE class = rb_define_class_under(mTrunkline, "Flag", rb_cObject);
    trunkline_define_new(class, flag_new);
    rb_define_method(class, "on=", flag_turn, 1);
    rb_define_method(class, "turn_on", flag_turn_on, 0);
    rb_define_method(class, "on?", flag_is_on, 0);
}
