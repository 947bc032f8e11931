#include "deadline.h"

#include <math.h>
#include <stdbool.h>
#include "clock.h"
#include "../../common/argument.h"
#include "../../common/classes.h"

static ID id_present;
static unsigned long holders; /* fibers and threads that have one set: without any, none is looked up */

double deadline_present(void) {
    if (holders == 0) return INFINITY;
    VALUE present = rb_thread_local_aref(rb_thread_current(), id_present);
    return NIL_P(present) ? INFINITY : RFLOAT_VALUE(present);
}

double deadline_in(VALUE seconds) {
    bool plain = RB_FLOAT_TYPE_P(seconds) || FIXNUM_P(seconds);
    double number = plain || RTEST(rb_obj_is_kind_of(seconds, rb_cNumeric)) ? NUM2DBL(seconds) : -1;
    if (!(number >= 0)) rb_raise(rb_eArgError, "a deadline must be a number of seconds from 0, not %"PRIsVALUE, argument_shown(seconds));
    return clock_now() + number;
}

/* call-seq: Deadlines.in(seconds) -> Float
 *
 * The earlier one of so many seconds from now and the deadline that is set. */
static VALUE deadlines_in(VALUE module, VALUE seconds) { return DBL2NUM(fmin(deadline_in(seconds), deadline_present())); }

/* call-seq: Deadlines.present -> Float or nil */
static VALUE deadlines_present(VALUE module) { return deadline_value(deadline_present()); }

/* call-seq: Deadlines.exchange(deadline) -> Float or nil
 *
 * Sets the deadline, a Float or nil, for the calling fiber or thread; returns the former one. */
static VALUE deadlines_exchange(VALUE module, VALUE deadline) {
    VALUE thread = rb_thread_current(), before = rb_thread_local_aref(thread, id_present);
    if (!NIL_P(deadline)) Check_Type(deadline, T_FLOAT);
    if (NIL_P(before) && !NIL_P(deadline)) holders++;
    if (!NIL_P(before) && NIL_P(deadline)) holders--;
    rb_thread_local_aset(thread, id_present, deadline);
    return before;
}

/* call-seq: Deadlines.left(deadline, most) -> Float
 *
 * Seconds until the deadline: at least 0, and at most `most`. */
static VALUE deadlines_left(VALUE module, VALUE deadline, VALUE most) {
    return DBL2NUM(fmin(fmax(NUM2DBL(deadline) - clock_now(), 0), NUM2DBL(most)));
}

void Init_trunkline_deadline(void) {
    id_present = rb_intern("trunkline_deadline");
    VALUE module = rb_define_module_under(mTrunkline, "Deadlines");
    rb_define_singleton_method(module, "in", deadlines_in, 1);
    rb_define_singleton_method(module, "present", deadlines_present, 0);
    rb_define_singleton_method(module, "exchange", deadlines_exchange, 1);
    rb_define_singleton_method(module, "left", deadlines_left, 2);
}
