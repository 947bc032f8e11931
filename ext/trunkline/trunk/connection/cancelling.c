/* Methods of Trunkline::ConnectionState. */
#include "cancelling.h"

#include <math.h>
#include "backlog.h"
#include "../runtime/clock.h"
#include "../../common/classes.h"

static VALUE sym_open, sym_fenced, sym_exposed;

static void aim(const connection_t *connection, VALUE request) {
    const codec_protocol_t *protocol = connection_codec(connection)->protocol;
    if (protocol->aim) protocol->aim(connection->codec, request);
}

static bool is_repeatable(const connection_t *connection, VALUE request) {
    const codec_protocol_t *protocol = connection_codec(connection)->protocol;
    return protocol->repeatable && protocol->repeatable(request);
}

static void update(connection_t *connection) {
    const cancelling_t *state = &connection->cancelling;
    connection->shut = state->sealed || state->exposed || !NIL_P(state->canceller) || !NIL_P(state->fence);
}

/* No request can be hit by a cancel any more. */
static void reopen(connection_t *connection) {
    connection->cancelling.canceller = connection->cancelling.fence = Qnil;
    aim(connection, Qnil);
    update(connection);
}

void cancelling_lift(connection_t *connection) {
    if (!NIL_P(connection->cancelling.fence) && request_of(connection->cancelling.fence)->done) reopen(connection);
}

void cancelling_end(connection_t *connection) { connection->cancelling.canceller = connection->cancelling.fence = Qnil; }

/* Drops the fence. Marked as done, its answer is discarded. */
static void forget_fence(connection_t *connection) {
    if (NIL_P(connection->cancelling.fence)) return;
    request_of(connection->cancelling.fence)->done = true;
    connection->cancelling.fence = Qnil;
}

static bool all_behind_are_repeatable(const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    for (size_t at = 1; at < in_flight->fifo.count; at++) {
        if (!NIL_P(fifo_at(&in_flight->fifo, at)) && !is_repeatable(connection, fifo_at(&in_flight->fifo, at))) return false;
    }
    return true;
}

static bool is_head(const connection_t *connection, VALUE request) { return fifo_head(&connection_in_flight(connection)->fifo) == request; }

/* Whether a pinned request is in flight, which only the owner of a reserved connection can have sent. */
static bool any_is_pinned(const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    for (size_t at = 0; at < in_flight->fifo.count; at++) {
        VALUE request = fifo_at(&in_flight->fifo, at);
        if (!NIL_P(request) && request_of(request)->pinned) return true;
    }
    return false;
}

/* Whether it was sent in the connection's present use, reserved or shared. What others had sent before a caller reserved the connection may be
 * cancelled for that caller, too, which waits for it before it sends anything. */
static bool is_of_present_use(const connection_t *connection, VALUE target) {
    return request_of(target)->pinned == connection->reserved || (connection->reserved && !any_is_pinned(connection));
}

/* Requests behind the head could be hit instead, if the head ended meanwhile. Behind a fence there is no other request. On an exposed connection they
 * may be hit anyway; where it is sealed, too, no request follows the next fence, which the former cancel could hit. */
static bool may_cancel(const connection_t *connection, VALUE target) {
    const cancelling_t *state = &connection->cancelling;
    if (!NIL_P(state->canceller) || (state->exposed && (!state->sealed || NIL_P(target)))) return false;
    if (NIL_P(target)) return true;
    if (!is_head(connection, target) || !is_of_present_use(connection, target)) return false;
    return !NIL_P(connection->cancelling.fence) || all_behind_are_repeatable(connection);
}

/* call-seq: begin_cancel(waiter, target) -> true or false
 *
 * Shuts the connection for a caller that is about to cancel, and that calls finish_cancel whatever happens. waiter: a request of that caller. target:
 * the request to cancel; nil, on a reserved connection of the caller: all abandoned requests. False: another caller cancels, or the cancel could hit
 * requests of others, or the target is answered. */
static VALUE connection_begin_cancel(VALUE self, VALUE waiter, VALUE target) {
    connection_t *connection = connection_of(self);
    request_checked(waiter);
    if (!NIL_P(target)) request_checked(target);
    cancelling_lift(connection);
    if (!may_cancel(connection, target)) return Qfalse;
    connection->cancelling.canceller = waiter;
    update(connection);
    return Qtrue;
}

static bool cancels(const connection_t *connection, VALUE waiter) { return connection->cancelling.canceller == waiter; }

/* call-seq: aim(waiter, target) -> Request or nil
 *
 * The request to cancel now: the head, if that is the target, or abandoned. From then on the cancel may hit any request in flight, until a fence
 * behind them is answered. Nil: there is nothing to cancel, or everything is answered. */
static VALUE connection_aim(VALUE self, VALUE waiter, VALUE target) {
    connection_t *connection = connection_of(self);
    cancelling_lift(connection);
    if (!cancels(connection, waiter)) return Qnil;
    const request_t *head = fifo_head_request(&connection_in_flight(connection)->fifo);
    if (!head || (head->self != target && !head->done)) return Qnil;
    forget_fence(connection);
    connection->cancelling.exposed = true;
    aim(connection, head->self);
    return head->self;
}

/* call-seq: fence_off(waiter, fence) -> true or false
 *
 * Submits the fence: no request behind it will be hit. False: the connection takes nothing more, or the caller is not the canceller. */
static VALUE connection_fence_off(VALUE self, VALUE waiter, VALUE fence) {
    connection_t *connection = connection_of(self);
    request_checked(fence);
    if (!cancels(connection, waiter) || NIL_P(connection_codec(connection)->protocol->submit(connection->codec, fence))) return Qfalse;
    forget_fence(connection);
    connection->cancelling.fence = fence;
    connection->cancelling.exposed = false;
    return Qtrue;
}

static VALUE state_after(const connection_t *connection) {
    if (connection->cancelling.exposed) return sym_exposed;
    return NIL_P(connection->cancelling.fence) ? sym_open : sym_fenced;
}

/* call-seq: finish_cancel(waiter) -> :open, :fenced, :exposed or nil
 *
 * The caller has finished cancelling. :open: nothing can be hit. :fenced: the connection reopens when the fence is answered. :exposed: what the
 * cancel will hit is unknown, and the connection stays shut for good. Nil: everything was answered before. */
static VALUE connection_finish_cancel(VALUE self, VALUE waiter) {
    connection_t *connection = connection_of(self);
    cancelling_lift(connection);
    if (!cancels(connection, waiter)) return Qnil;
    connection->cancelling.canceller = Qnil;
    VALUE state = state_after(connection);
    if (state == sym_open) reopen(connection);
    return state;
}

/* call-seq: lift -> connection */
static VALUE connection_lift(VALUE self) {
    cancelling_lift(connection_of(self));
    return self;
}

/* call-seq: fence -> Request or nil */
static VALUE connection_fence(VALUE self) { return connection_of(self)->cancelling.fence; }

/* call-seq: canceller -> Request or nil */
static VALUE connection_canceller(VALUE self) { return connection_of(self)->cancelling.canceller; }

static void seal(connection_t *connection) {
    connection->cancelling.sealed = true;
    update(connection);
}

/* call-seq: seal -> connection
 *
 * The connection takes no more requests, for good. */
static VALUE connection_seal(VALUE self) {
    seal(connection_of(self));
    return self;
}

/* call-seq: abandon_fence -> true or false
 *
 * Seals the connection if no caller is left to read the fence's answer. The owner of a reserved one will. */
static VALUE connection_abandon_fence(VALUE self) {
    connection_t *connection = connection_of(self);
    cancelling_lift(connection);
    if (NIL_P(connection->cancelling.fence) || !NIL_P(connection->cancelling.canceller)) return Qfalse;
    if (connection->reserved || !connection_is_deserted(connection)) return Qfalse;
    forget_fence(connection);
    connection->cancelling.exposed = true;
    seal(connection);
    return Qtrue;
}

/* call-seq: abandoned_head -> Request or nil
 *
 * The request that the server works on, if no caller waits for it. */
static VALUE connection_abandoned_head(VALUE self) {
    const connection_t *connection = connection_of(self);
    return connection_has_abandoned_head(connection) ? fifo_head(&connection_in_flight(connection)->fifo) : Qnil;
}

/* call-seq: recheck_in(seconds) -> true or false
 *
 * The leader at that time, so many seconds from now, calls cancel_abandoned_ahead of its trunk. False: the leader sleeps for longer than that; or
 * there is none. */
static VALUE connection_recheck_in(VALUE self, VALUE seconds) {
    connection_t *connection = connection_of(self);
    connection->cancelling.recheck_at = clock_now() + NUM2DBL(seconds);
    return RBOOL(connection_is_led(connection) && (!connection->leader_asleep || connection->leader_sleeps_until <= connection->cancelling.recheck_at));
}

/* call-seq: recheck_pending? -> true or false
 *
 * Whether the time of that check is still to come. */
static VALUE connection_get_recheck_pending(VALUE self) {
    double at = connection_of(self)->cancelling.recheck_at;
    return RBOOL(!isinf(at) && at > clock_now());
}

/* Whether all requests in flight but the target are abandoned; *statements is set to the number of statements in flight. */
static bool is_abandoned(const in_flight_t *in_flight, VALUE target, size_t *statements) {
    *statements = 0;
    for (size_t at = 0; at < in_flight->fifo.count; at++) {
        VALUE request = fifo_at(&in_flight->fifo, at);
        if (NIL_P(request)) continue;
        if (request != target && !request_of(request)->done) return false;
        *statements += request_of(request)->work.service != NULL;
    }
    return true;
}

/* call-seq: all_abandoned?(target) -> true or false
 *
 * Whether several statements are in flight, and no caller waits for any. target: the one that its caller is about to abandon, or nil. */
static VALUE connection_is_all_abandoned(VALUE self, VALUE target) {
    size_t statements;
    return RBOOL(is_abandoned(connection_in_flight(connection_of(self)), target, &statements) && statements > 1);
}

/* call-seq: only_abandoned? -> true or false
 *
 * Whether no caller waits, or will wait, for anything in flight. */
static VALUE connection_is_only_abandoned(VALUE self) {
    size_t statements;
    return RBOOL(is_abandoned(connection_in_flight(connection_of(self)), Qnil, &statements));
}

/* call-seq: head_blocks? -> true or false
 *
 * Whether the head blocks what is behind it: it takes long, may take long as far as is known, or exceeds its estimate. */
static VALUE connection_get_head_blocks(VALUE self) { return RBOOL(connection_head_blocks(connection_of(self), clock_now())); }

/* call-seq: head_blocks_in -> Float
 *
 * Seconds until the head blocks, if no answer comes. */
static VALUE connection_get_head_blocks_in(VALUE self) { return DBL2NUM(connection_head_blocks_in(connection_of(self), clock_now())); }

/* call-seq: shut? -> true or false */
static VALUE connection_is_shut(VALUE self) { return RBOOL(connection_of(self)->shut); }

void Init_trunkline_cancelling(void) {
    sym_open = ID2SYM(rb_intern("open"));
    sym_fenced = ID2SYM(rb_intern("fenced"));
    sym_exposed = ID2SYM(rb_intern("exposed"));
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "begin_cancel", connection_begin_cancel, 2);
    rb_define_method(class, "aim", connection_aim, 2);
    rb_define_method(class, "fence_off", connection_fence_off, 2);
    rb_define_method(class, "finish_cancel", connection_finish_cancel, 1);
    rb_define_method(class, "lift", connection_lift, 0);
    rb_define_method(class, "fence", connection_fence, 0);
    rb_define_method(class, "canceller", connection_canceller, 0);
    rb_define_method(class, "seal", connection_seal, 0);
    rb_define_method(class, "abandon_fence", connection_abandon_fence, 0);
    rb_define_method(class, "abandoned_head", connection_abandoned_head, 0);
    rb_define_method(class, "recheck_in", connection_recheck_in, 1);
    rb_define_method(class, "recheck_pending?", connection_get_recheck_pending, 0);
    rb_define_method(class, "all_abandoned?", connection_is_all_abandoned, 1);
    rb_define_method(class, "only_abandoned?", connection_is_only_abandoned, 0);
    rb_define_method(class, "head_blocks?", connection_get_head_blocks, 0);
    rb_define_method(class, "head_blocks_in", connection_get_head_blocks_in, 0);
    rb_define_method(class, "shut?", connection_is_shut, 0);
}
