#include "memcached_codec.h"

/* Trunkline::Memcached::Codec: the protocol of one connection. It takes requests and bytes, and gives bytes and answers; it uses no sockets and never
 * waits. */
#include "pipeline.h"
#include "memcached_request.h"
#include "../socket/bytes_class.h"
#include "../common/classes.h"

static void codec_mark(void *data) {
    pipeline_t *pipeline = data;
    codec_base_mark(&pipeline->base);
}

static void codec_free(void *data) {
    pipeline_t *pipeline = data;
    codec_base_release(&pipeline->base);
    ruby_xfree(pipeline);
}

static size_t codec_memsize(const void *data) {
    const pipeline_t *pipeline = data;
    return sizeof *pipeline + codec_base_memsize(&pipeline->base);
}

static const rb_data_type_t codec_type = {
    .wrap_struct_name = "Trunkline::Memcached::Codec",
    .function = {.dmark = codec_mark, .dfree = codec_free, .dsize = codec_memsize},
    .parent = &codec_base_type,
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE codec_submit(VALUE self, VALUE request);
static VALUE codec_receive(VALUE self, VALUE woken);
static const codec_protocol_t protocol = {.submit = codec_submit, .receive = codec_receive};

static VALUE codec_allocate(VALUE class) {
    pipeline_t *pipeline;
    VALUE self = TypedData_Make_Struct(class, pipeline_t, &codec_type, pipeline);
    codec_base_clear(&pipeline->base, &protocol);
    return self;
}

static VALUE codec_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(codec_allocate(class), argc, argv); }

static pipeline_t *pipeline_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* call-seq: Codec.new(value_limit, misses_numbered)
 *
 * value_limit: bytes of the longest value to accept. misses_numbered: the server sends a command's opaque with EN too, as memcached does since
 * 1.6.18. */
static VALUE codec_initialize(VALUE self, VALUE value_limit, VALUE misses_numbered) {
    pipeline_t *pipeline = pipeline_of(self);
    codec_base_open(&pipeline->base);
    pipeline->value_limit = NUM2SIZET(value_limit);
    pipeline->misses_numbered = RTEST(misses_numbered);
    return self;
}

/* call-seq: submit(request) -> Integer or nil
 *
 * Returns the bytes of output that are not sent. Nil: the codec is closed, and the request is unchanged. */
static VALUE codec_submit(VALUE self, VALUE request) {
    pipeline_t *pipeline = pipeline_of(self);
    return pipeline_submit(pipeline, request) ? SIZET2NUM(codec_base_unsent(&pipeline->base)) : Qnil;
}

/* call-seq: withdraw(request, failure) -> true or false
 *
 * Takes back a request that was not sent, with this failure. False: bytes of it were sent, or it is not in flight. */
static VALUE codec_withdraw(VALUE self, VALUE request, VALUE failure) {
    return RBOOL(pipeline_withdraw(pipeline_of(self), request, failure));
}

/* call-seq: close -> codec
 *
 * Takes no more requests. The protocol has no message for the end. */
static VALUE codec_close(VALUE self) {
    pipeline_of(self)->base.closed = true;
    return self;
}

/* call-seq: receive(woken) -> true
 *
 * Decodes the input; pushes requests whose waiters are owed a wake-up to the Array `woken`. */
static VALUE codec_receive(VALUE self, VALUE woken) {
    Check_Type(woken, T_ARRAY);
    pipeline_receive(pipeline_of(self), woken);
    bytes_settle(pipeline_of(self)->base.input);
    return Qtrue;
}

/* call-seq: closing_error_message -> String or nil
 *
 * The error line that the server sent before it closed the connection, if it sent one. */
static VALUE codec_closing_error_message(VALUE self) { return pipeline_of(self)->base.closing_error; }

/* call-seq: silent_since?(request) -> true or false
 *
 * Whether no answer to any request has come since this one was sent. */
static VALUE codec_is_silent_since(VALUE self, VALUE request) {
    return RBOOL(pipeline_of(self)->answers == memcached_request_checked(request)->answers_before);
}


void Init_trunkline_memcached_codec(void) {
    VALUE class = rb_define_class_under(mTrunklineMemcached, "Codec", cTrunklineCodec);
    trunkline_define_new(class, codec_new);
    rb_define_method(class, "initialize", codec_initialize, 2);
    rb_define_method(class, "submit", codec_submit, 1);
    rb_define_method(class, "withdraw", codec_withdraw, 2);
    rb_define_method(class, "close", codec_close, 0);
    rb_define_method(class, "receive", codec_receive, 1);
    rb_define_method(class, "closing_error_message", codec_closing_error_message, 0);
    rb_define_method(class, "silent_since?", codec_is_silent_since, 1);
}
