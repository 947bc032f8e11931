/* Trunkline::Codec: what a trunk uses of either protocol's codec. */
#include "codec_base.h"

#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

VALUE cTrunklineCodec;

/* No codec without a protocol is ever allocated. */
const rb_data_type_t codec_base_type = {.wrap_struct_name = "Trunkline::Codec", .parent = &in_flight_type};

void codec_base_clear(codec_base_t *base, const codec_protocol_t *protocol) {
    base->protocol = protocol;
    base->input = base->output = base->closing_error = Qnil;
    base->not_begun_from = UINT64_MAX;
}

void codec_base_open(codec_base_t *base) {
    base->input = rb_obj_alloc(cTrunklineBytes);
    base->output = rb_obj_alloc(cTrunklineBytes);
}

size_t codec_base_unsent(const codec_base_t *base) { return buffer_size(bytes_buffer(base->output)); }

void codec_base_mark(const codec_base_t *base) {
    rb_gc_mark(base->input);
    rb_gc_mark(base->output);
    rb_gc_mark(base->closing_error);
    in_flight_mark(&base->in_flight);
}

void codec_base_release(codec_base_t *base) { in_flight_release(&base->in_flight); }

size_t codec_base_memsize(const codec_base_t *base) { return base->in_flight.fifo.capacity * sizeof(VALUE); }

static codec_base_t *base_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* call-seq: fail(woken) { |sent| failure } -> codec
 *
 * Fails every request in flight: no more answers will come. Yields true for a request of which bytes were sent, else false; the block returns its
 * failure. */
static VALUE codec_fail(VALUE self, VALUE woken) {
    codec_base_t *base = base_of(self);
    base->closed = true;
    uint64_t sent = base->in_flight.appended - codec_base_unsent(base);
    in_flight_fail(&base->in_flight, sent < base->not_begun_from ? sent : base->not_begun_from, woken);
    return self;
}

static VALUE codec_input(VALUE self) { return base_of(self)->input; }
static VALUE codec_output(VALUE self) { return base_of(self)->output; }
static VALUE codec_closing_error(VALUE self) { return base_of(self)->closing_error; }

/* call-seq: in_flight -> Integer
 *
 * Requests that the server has yet to answer. */
static VALUE codec_in_flight(VALUE self) { return SIZET2NUM(base_of(self)->in_flight.fifo.count); }

/* call-seq: idle? -> true or false */
static VALUE codec_is_idle(VALUE self) { return RBOOL(base_of(self)->in_flight.fifo.count == 0); }

/* call-seq: trickles? -> true or false
 *
 * Whether the server sends many small messages one by one, so that the next read may wait for more of them. */
static VALUE codec_trickles(VALUE self) { return RBOOL(base_of(self)->trickles); }

void Init_trunkline_codec(void) {
    cTrunklineCodec = rb_define_class_under(mTrunkline, "Codec", rb_cObject);
    rb_undef_alloc_func(cTrunklineCodec);
    rb_define_method(cTrunklineCodec, "fail", codec_fail, 1);
    rb_define_method(cTrunklineCodec, "input", codec_input, 0);
    rb_define_method(cTrunklineCodec, "output", codec_output, 0);
    rb_define_method(cTrunklineCodec, "closing_error", codec_closing_error, 0);
    rb_define_method(cTrunklineCodec, "in_flight", codec_in_flight, 0);
    rb_define_method(cTrunklineCodec, "idle?", codec_is_idle, 0);
    rb_define_method(cTrunklineCodec, "trickles?", codec_trickles, 0);
}
