#include "memcached_codec.h"

/* Trunkline::Memcached::Codec: one connection's protocol. Takes requests and bytes, gives bytes and answers; knows no
 * sockets and never waits. */
#include "conversation.h"
#include "memcached_request.h"
#include "../socket/bytes_class.h"
#include "../common/classes.h"

static void codec_mark(void *data) {
    conversation_t *conversation = data;
    codec_base_mark(&conversation->base);
}

static void codec_free(void *data) {
    conversation_t *conversation = data;
    codec_base_release(&conversation->base);
    ruby_xfree(conversation);
}

static size_t codec_memsize(const void *data) {
    const conversation_t *conversation = data;
    return sizeof *conversation + codec_base_memsize(&conversation->base);
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
    conversation_t *conversation;
    VALUE self = TypedData_Make_Struct(class, conversation_t, &codec_type, conversation);
    codec_base_clear(&conversation->base, &protocol);
    return self;
}

static VALUE codec_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(codec_allocate(class), argc, argv); }

static conversation_t *conversation_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* call-seq: Codec.new(value_limit, misses_numbered)
 *
 * value_limit: bytes of the longest value to accept. misses_numbered: the server sends the number of a command with EN too,
 * as memcached does since 1.6.18. */
static VALUE codec_initialize(VALUE self, VALUE value_limit, VALUE misses_numbered) {
    conversation_t *conversation = conversation_of(self);
    codec_base_open(&conversation->base);
    conversation->value_limit = NUM2SIZET(value_limit);
    conversation->misses_numbered = RTEST(misses_numbered);
    return self;
}

/* call-seq: submit(request) -> Integer or nil
 *
 * Bytes that wait in the output. Nil: the conversation is over, and the request as it was. */
static VALUE codec_submit(VALUE self, VALUE request) {
    conversation_t *conversation = conversation_of(self);
    return conversation_submit(conversation, request) ? SIZET2NUM(codec_base_unsent(&conversation->base)) : Qnil;
}

/* call-seq: withdraw(request, failure) -> true or false
 *
 * True: it was not sent, and will not be. */
static VALUE codec_withdraw(VALUE self, VALUE request, VALUE failure) {
    return RBOOL(conversation_withdraw(conversation_of(self), request, failure));
}

/* call-seq: close -> codec
 *
 * Takes no more requests. The protocol has no need of a goodbye. */
static VALUE codec_close(VALUE self) {
    conversation_of(self)->base.closed = true;
    return self;
}

/* call-seq: receive(woken) -> true
 *
 * Takes in what the input holds; pushes requests to the Array `woken` whose waiters are owed a wake-up. */
static VALUE codec_receive(VALUE self, VALUE woken) {
    Check_Type(woken, T_ARRAY);
    conversation_receive(conversation_of(self), woken);
    bytes_settle(conversation_of(self)->base.input);
    return Qtrue;
}

/* call-seq: farewell_message -> String or nil
 *
 * What the server said before it hung up, if it said anything. */
static VALUE codec_farewell_message(VALUE self) { return conversation_of(self)->base.farewell; }

/* call-seq: silent_since?(request) -> true or false
 *
 * Has no answer come since the request was sent, to whomever? */
static VALUE codec_is_silent_since(VALUE self, VALUE request) {
    return RBOOL(conversation_of(self)->answers == memcached_request_checked(request)->before);
}


void Init_trunkline_memcached_codec(void) {
    VALUE class = rb_define_class_under(mTrunklineMemcached, "Codec", cTrunklineCodec);
    trunkline_define_new(class, codec_new);
    rb_define_method(class, "initialize", codec_initialize, 2);
    rb_define_method(class, "submit", codec_submit, 1);
    rb_define_method(class, "withdraw", codec_withdraw, 2);
    rb_define_method(class, "close", codec_close, 0);
    rb_define_method(class, "receive", codec_receive, 1);
    rb_define_method(class, "farewell_message", codec_farewell_message, 0);
    rb_define_method(class, "silent_since?", codec_is_silent_since, 1);
}
