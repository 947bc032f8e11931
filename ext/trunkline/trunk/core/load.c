#include "load.h"

/* Trunkline::Load: what a codec has been given to do, and has yet to do. */
#include "fifo.h"
#include "clock.h"
#include "../../common/classes.h"

/* call-seq: Load.of(codec) -> [Integer, Integer, Float]
 *
 * The requests it was ever given, the units that the server has yet to answer, and in how many seconds it is expected to be
 * through with these. */
static VALUE load_of(VALUE module, VALUE codec) {
    rb_check_typeddata(codec, &fifo_type);
    const fifo_t *fifo = RTYPEDDATA_DATA(codec);
    return rb_ary_new_from_args(3, ULL2NUM(fifo->requests), SIZET2NUM(fifo->count), DBL2NUM(fifo_expected(fifo, clock_now())));
}

void Init_trunkline_load(void) {
    rb_define_singleton_method(rb_define_module_under(mTrunkline, "Load"), "of", load_of, 1);
}
