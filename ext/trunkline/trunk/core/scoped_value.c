#include "scoped_value.h"

#include <ruby.h>
#include <ruby/fiber/scheduler.h>
#include <ruby/version.h>
#include <stdbool.h>
#include "../../common/classes.h"

/* Each request checks whether its fiber has scoped values: see lib/trunkline/trunk/scoped_value.rb. */

#if RUBY_API_VERSION_MAJOR > 3 || RUBY_API_VERSION_MINOR >= 2

static VALUE fiber_class, name;
static ID id_aref;

static bool holds_nothing(void) { return NIL_P(rb_funcallv(fiber_class, id_aref, 1, &name)); }

static void prepare(void) {
    fiber_class = rb_const_get(rb_cObject, rb_intern("Fiber"));
    rb_gc_register_mark_object(fiber_class);
    name = ID2SYM(rb_intern("trunkline_scoped_value"));
    id_aref = rb_intern("[]");
}

#else

static ID name, plain_fibers, loop_fibers;

static bool holds_nothing(void) {
    VALUE thread = rb_thread_current();
    if (!NIL_P(rb_thread_local_aref(thread, name)) || !NIL_P(rb_attr_get(thread, plain_fibers))) return false;
    return NIL_P(rb_attr_get(thread, loop_fibers)) || !NIL_P(rb_fiber_scheduler_current());
}

static void prepare(void) {
    name = rb_intern("trunkline_scoped_value");
    plain_fibers = rb_intern("@trunkline_plain_fibers_that_hold");
    loop_fibers = rb_intern("@trunkline_loop_fibers_that_hold");
}

#endif

/* call-seq: ScopedValue.none? -> true or false
 *
 * True: the calling fiber certainly has no scoped value; false: it may have one. */
static VALUE scoped_value_is_none(VALUE class) {
    (void)class;
    return holds_nothing() ? Qtrue : Qfalse;
}

void Init_trunkline_scoped_value(void) {
    VALUE class = rb_define_class_under(mTrunkline, "ScopedValue", rb_cObject);
    prepare();
    rb_define_singleton_method(class, "none?", scoped_value_is_none, 0);
}
