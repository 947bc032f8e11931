#include "load.h"

/* Trunkline::Load: the load of one codec. */
#include "in_flight.h"
#include "../runtime/clock.h"
#include "../../common/classes.h"

/* call-seq: Load.of(codec) -> [Integer, Integer, Float]
 *
 * The number of requests ever submitted, the number of entries in flight, and the estimated seconds until the server has answered these. */
static VALUE load_of(VALUE module, VALUE codec) {
    rb_check_typeddata(codec, &in_flight_type);
    const in_flight_t *in_flight = RTYPEDDATA_DATA(codec);
    return rb_ary_new_from_args(3, ULL2NUM(in_flight->load.requests), SIZET2NUM(in_flight->fifo.count), DBL2NUM(in_flight_expected(in_flight, clock_now())));
}

void Init_trunkline_load(void) {
    rb_define_singleton_method(rb_define_module_under(mTrunkline, "Load"), "of", load_of, 1);
}
