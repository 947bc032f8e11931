#include "postgres_flow.h"

/* Methods of Request and of Codec for streamed answers and COPY. */
#include "../answers/asynchronous.h"
#include "../session/flow.h"
#include "submit.h"
#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

/* Bytes of data in one CopyData message, a bound: so much more is in the output at a time. With 8 or 512 KiB, 4 MB take the same processor time: 2.4 to
 * 4.4 ms, where runs differ by as much. */
#define LONGEST_PIECE 65536

static session_state_t *session_of(VALUE self) { return RTYPEDDATA_DATA(self); }

static flow_t *flow_of(VALUE request) {
    flow_t *flow = postgres_request_of(request)->flow;
    if (!flow) rb_raise(rb_eArgError, "the request has no flow");
    return flow;
}

/* call-seq: flow(rows) -> request
 *
 * Streams the answer: its rows are taken by Codec#portion, so many at a time, or fewer where they are large. */
static VALUE request_flow(VALUE self, VALUE rows) {
    flow_begin(postgres_request_of(self), NUM2SIZET(rows));
    return self;
}

/* call-seq: fetch(portal, rows) -> request
 *
 * Names its portal, which stays open when so many rows have come, until it or the transaction ends. */
static VALUE request_fetch(VALUE self, VALUE portal, VALUE rows) {
    postgres_request_t *request = postgres_request_of(self);
    StringValueCStr(portal);
    request->portal = rb_str_new_frozen(portal);
    request->fetches = NUM2UINT(rows);
    return self;
}

/* call-seq: next_fetch -> Request
 *
 * The request for the next rows of the same portal. */
static VALUE request_next_fetch(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    VALUE next = postgres_request_fetch(self);
    postgres_request_of(next)->base.deadline = postgres_request_of(next)->base.wait_until = request->base.deadline;
    return next;
}

/* call-seq: suspended? -> true or false
 *
 * Whether the portal was suspended after so many rows. */
static VALUE request_is_suspended(VALUE self) { return RBOOL(postgres_request_of(self)->answer.suspended); }

/* call-seq: forget_caller -> request
 *
 * While no caller waits for it, the caller that has sent it may be garbage-collected. */
static VALUE request_forget_caller(VALUE self) {
    request_of(self)->fiber = request_of(self)->scheduler = request_of(self)->token = Qnil;
    return self;
}

/* call-seq: portion? -> true or false
 *
 * Whether there are rows to take. */
static VALUE request_has_portion(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    return RBOOL(request->flow && RARRAY_LEN(request->answer.rows) > 0);
}

/* call-seq: flowing? -> true or false
 *
 * Whether its answer has begun without an error, and has not ended. */
static VALUE request_is_flowing(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    return RBOOL(request->flow && !request->base.done && NIL_P(request->answer.error) && (request->answer.bound || request->flow->copy != COPY_NONE));
}

/* call-seq: copying -> :in, :out or nil
 *
 * :in: the server receives data; :out: it sends data; nil: no COPY has begun. */
static VALUE request_copying(VALUE self) {
    flow_t *flow = flow_of(self);
    if (flow->copy == COPY_NONE) return Qnil;
    return ID2SYM(rb_intern(flow->copy == COPY_IN ? "in" : "out"));
}

/* call-seq: copies_binary? -> true or false */
static VALUE request_copies_binary(VALUE self) { return RBOOL(flow_of(self)->binary); }

/* call-seq: copied_columns -> Integer */
static VALUE request_copied_columns(VALUE self) { return UINT2NUM(flow_of(self)->columns); }

/* call-seq: description = Description
 *
 * How the rows of a COPY are decoded; without one, they are taken as they come. */
static VALUE request_set_description(VALUE self, VALUE description) { return postgres_request_of(self)->answer.description = description; }

/* call-seq: portion(request) -> Array
 *
 * The request's rows since the last call; decoding continues. */
static VALUE codec_portion(VALUE self, VALUE request) {
    postgres_request_checked(request);
    flow_of(request);
    return flow_portion(session_of(self), postgres_request_of(request));
}

/* call-seq: flow_notices(request) -> String or nil
 *
 * The request's notices since the last call, in the form of ErrorFields.each; decoding continues. */
static VALUE codec_flow_notices(VALUE self, VALUE request) {
    postgres_request_checked(request);
    flow_of(request);
    return flow_notices(session_of(self), postgres_request_of(request));
}

/* Whether the server still receives data for this COPY. */
static bool takes_data(const session_state_t *session, VALUE request) {
    postgres_request_checked(request);
    return flow_of(request)->copy == COPY_IN && fifo_head(&session->base.in_flight.fifo) == request && !session->base.closed;
}

static bool append_pieces(buffer_t *output, const char *bytes, size_t length) {
    for (size_t at = 0; at < length; at += LONGEST_PIECE) {
        size_t size = length - at < LONGEST_PIECE ? length - at : LONGEST_PIECE, mark;
        if (!frontend_open(output, 'd', &mark) || !buffer_append(output, bytes + at, size) || !frontend_close(output, mark)) return false;
    }
    return true;
}

/* Counts the appended bytes; or removes them and raises, if there was no memory for all. */
static VALUE appended(session_state_t *session, size_t before, bool whole) {
    buffer_t *output = bytes_buffer(session->base.output);
    if (!whole) {
        output->tail = output->head + before;
        rb_memerror();
    }
    session->base.in_flight.appended += buffer_size(output) - before;
    return SIZET2NUM(buffer_size(output));
}

/* call-seq: copy_data(request, string) -> Integer or nil
 *
 * Appends CopyData. Returns the bytes of output that are not sent. Nil: the server receives no data, because the COPY has failed or has not begun. */
static VALUE codec_copy_data(VALUE self, VALUE request, VALUE string) {
    session_state_t *session = session_of(self);
    StringValue(string);
    if (!takes_data(session, request)) return Qnil;
    buffer_t *output = bytes_buffer(session->base.output);
    size_t before = buffer_size(output);
    return appended(session, before, append_pieces(output, RSTRING_PTR(string), (size_t)RSTRING_LEN(string)));
}

/* call-seq: copy_rows(request, bytes) -> Integer or nil
 *
 * As copy_data, with the content of the Bytes, which are empty then. */
static VALUE codec_copy_rows(VALUE self, VALUE request, VALUE bytes) {
    session_state_t *session = session_of(self);
    if (!rb_obj_is_kind_of(bytes, cTrunklineBytes)) rb_raise(rb_eTypeError, "no Bytes");
    if (!takes_data(session, request)) return Qnil;
    buffer_t *output = bytes_buffer(session->base.output), *rows = bytes_buffer(bytes);
    size_t before = buffer_size(output);
    VALUE waiting = appended(session, before, append_pieces(output, buffer_bytes(rows), buffer_size(rows)));
    buffer_consume(rows, buffer_size(rows));
    bytes_settle(bytes);
    return waiting;
}

/* call-seq: copy_done(request) -> Integer or nil
 *
 * Appends CopyDone. */
static VALUE codec_copy_done(VALUE self, VALUE request) {
    session_state_t *session = session_of(self);
    if (!takes_data(session, request)) return Qnil;
    postgres_request_of(request)->flow->copy = COPY_OVER;
    size_t before = buffer_size(bytes_buffer(session->base.output));
    return appended(session, before, buffer_append(bytes_buffer(session->base.output), "c\0\0\0\x04", 5));
}

/* call-seq: copy_fail(request, reason) -> Integer or nil
 *
 * Appends CopyFail: nothing of what was sent is stored. The server answers with an error that quotes the reason, which has no zero bytes. */
static VALUE codec_copy_fail(VALUE self, VALUE request, VALUE reason) {
    session_state_t *session = session_of(self);
    StringValueCStr(reason);
    if (!takes_data(session, request)) return Qnil;
    postgres_request_of(request)->flow->copy = COPY_OVER;
    buffer_t *output = bytes_buffer(session->base.output);
    size_t before = buffer_size(output), mark;
    bool whole = frontend_open(output, 'f', &mark) && buffer_append(output, RSTRING_PTR(reason), (size_t)RSTRING_LEN(reason) + 1) &&
                 frontend_close(output, mark);
    return appended(session, before, whole);
}

/* call-seq: take_notifications -> Array of String or nil
 *
 * Bodies of the notifications since the last call; nil first: earlier ones were left out. */
static VALUE codec_take_notifications(VALUE self) {
    return notifications_taken(session_of(self));
}

void Init_trunkline_flow(void) {
    VALUE request = rb_const_get(mTrunklinePostgres, rb_intern("Request")), codec = rb_const_get(mTrunklinePostgres, rb_intern("Codec"));
    rb_define_method(request, "flow", request_flow, 1);
    rb_define_method(request, "fetch", request_fetch, 2);
    rb_define_method(request, "next_fetch", request_next_fetch, 0);
    rb_define_method(request, "suspended?", request_is_suspended, 0);
    rb_define_method(request, "forget_caller", request_forget_caller, 0);
    rb_define_method(request, "portion?", request_has_portion, 0);
    rb_define_method(request, "flowing?", request_is_flowing, 0);
    rb_define_method(request, "copying", request_copying, 0);
    rb_define_method(request, "copies_binary?", request_copies_binary, 0);
    rb_define_method(request, "copied_columns", request_copied_columns, 0);
    rb_define_method(request, "description=", request_set_description, 1);
    rb_define_method(codec, "portion", codec_portion, 1);
    rb_define_method(codec, "flow_notices", codec_flow_notices, 1);
    rb_define_method(codec, "copy_data", codec_copy_data, 2);
    rb_define_method(codec, "copy_rows", codec_copy_rows, 2);
    rb_define_method(codec, "copy_done", codec_copy_done, 1);
    rb_define_method(codec, "copy_fail", codec_copy_fail, 2);
    rb_define_method(codec, "take_notifications", codec_take_notifications, 0);
}
