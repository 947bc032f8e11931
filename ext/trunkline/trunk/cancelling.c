/* Methods of Trunkline::Crew. */
#include "cancelling.h"

#include <math.h>
#include "clock.h"
#include "crew.h"
#include "../trunkline.h"

static VALUE sym_open, sym_fenced, sym_exposed;

void cancelling_clear(cancelling_t *cancelling) {
    cancelling->canceller = cancelling->fence = Qnil;
    cancelling->again = INFINITY;
}

void cancelling_mark(const cancelling_t *cancelling) {
    rb_gc_mark(cancelling->canceller);
    rb_gc_mark(cancelling->fence);
}

static void aim(const crew_t *crew, VALUE request) {
    const codec_protocol_t *protocol = crew_codec(crew)->protocol;
    if (protocol->aim) protocol->aim(crew->codec, request);
}

static bool is_repeatable(const crew_t *crew, VALUE request) {
    const codec_protocol_t *protocol = crew_codec(crew)->protocol;
    return protocol->repeatable && protocol->repeatable(request);
}

static void update(crew_t *crew) {
    const cancelling_t *state = &crew->cancelling;
    crew->shut = state->sealed || state->exposed || !NIL_P(state->canceller) || !NIL_P(state->fence);
}

/* Nothing can be hit any more. */
static void reopen(crew_t *crew) {
    crew->cancelling.canceller = crew->cancelling.fence = Qnil;
    aim(crew, Qnil);
    update(crew);
}

void cancelling_lift(crew_t *crew) {
    if (!NIL_P(crew->cancelling.fence) && request_of(crew->cancelling.fence)->done) reopen(crew);
}

/* No caller waits for its answer, so it does not keep the connection open. */
static void forget_fence(crew_t *crew) {
    if (NIL_P(crew->cancelling.fence)) return;
    request_of(crew->cancelling.fence)->done = true;
    crew->cancelling.fence = Qnil;
}

static bool all_behind_are_repeatable(const crew_t *crew) {
    const fifo_t *fifo = crew_in_flight(crew);
    for (size_t at = 1; at < fifo->count; at++) {
        if (!NIL_P(fifo_at(fifo, at)) && !is_repeatable(crew, fifo_at(fifo, at))) return false;
    }
    return true;
}

static bool is_head(const crew_t *crew, VALUE request) { return fifo_head(crew_in_flight(crew)) == request; }

/* Those behind the head would be hit instead, if it came to its end meanwhile. Behind a fence there is no other request. */
static bool may_cancel(const crew_t *crew, VALUE target) {
    if (!NIL_P(crew->cancelling.canceller) || crew->cancelling.exposed) return false;
    if (NIL_P(target)) return true;
    if (!is_head(crew, target) || request_of(target)->pinned != crew->reserved) return false;
    return !NIL_P(crew->cancelling.fence) || all_behind_are_repeatable(crew);
}

/* call-seq: begin_cancel(waiter, target) -> true or false
 *
 * Shuts the trunk for a caller that is about to cancel, and finishes with finish_cancel, whatever happens. waiter: a request, of that
 * caller. target: what the server works on; nil, on a trunk of the caller's own: all abandoned requests. False: another caller
 * cancels, or others would be harmed, or the target is answered. */
static VALUE crew_begin_cancel(VALUE self, VALUE waiter, VALUE target) {
    crew_t *crew = crew_of(self);
    request_checked(waiter);
    if (!NIL_P(target)) request_checked(target);
    cancelling_lift(crew);
    if (!may_cancel(crew, target)) return Qfalse;
    crew->cancelling.canceller = waiter;
    update(crew);
    return Qtrue;
}

static bool cancels(const crew_t *crew, VALUE waiter) { return crew->cancelling.canceller == waiter; }

/* call-seq: aim(waiter, target) -> Request or nil
 *
 * What the caller is to ask the server to cancel now: the head, if that is the target, or done for its caller. From then on it may
 * hit any request in flight, until a fence behind them is answered. Nil: there is nothing to cancel, or everything is answered. */
static VALUE crew_aim(VALUE self, VALUE waiter, VALUE target) {
    crew_t *crew = crew_of(self);
    cancelling_lift(crew);
    if (!cancels(crew, waiter)) return Qnil;
    VALUE head = fifo_head(crew_in_flight(crew));
    if (head == Qundef || NIL_P(head) || (head != target && !request_of(head)->done)) return Qnil;
    forget_fence(crew);
    crew->cancelling.exposed = true;
    aim(crew, head);
    return head;
}

/* call-seq: fence_off(waiter, fence) -> true or false
 *
 * Submits the fence: nothing will be hit behind it. False: the connection takes nothing more, or the caller does not cancel here. */
static VALUE crew_fence_off(VALUE self, VALUE waiter, VALUE fence) {
    crew_t *crew = crew_of(self);
    request_checked(fence);
    if (!cancels(crew, waiter) || NIL_P(crew_codec(crew)->protocol->submit(crew->codec, fence))) return Qfalse;
    forget_fence(crew);
    crew->cancelling.fence = fence;
    crew->cancelling.exposed = false;
    return Qtrue;
}

static VALUE state_after(const crew_t *crew) {
    if (crew->cancelling.exposed) return sym_exposed;
    return NIL_P(crew->cancelling.fence) ? sym_open : sym_fenced;
}

/* call-seq: finish_cancel(waiter) -> :open, :fenced, :exposed or nil
 *
 * The caller cancels no more. Open: nothing can be hit. Fenced: the trunk opens when the fence is answered. Exposed: what the cancel will
 * hit is unknown, and the trunk stays shut for good. Nil: everything was answered before. */
static VALUE crew_finish_cancel(VALUE self, VALUE waiter) {
    crew_t *crew = crew_of(self);
    cancelling_lift(crew);
    if (!cancels(crew, waiter)) return Qnil;
    crew->cancelling.canceller = Qnil;
    VALUE state = state_after(crew);
    if (state == sym_open) reopen(crew);
    return state;
}

/* call-seq: lift -> crew */
static VALUE crew_lift(VALUE self) {
    cancelling_lift(crew_of(self));
    return self;
}

/* call-seq: fence -> Request or nil */
static VALUE crew_fence(VALUE self) { return crew_of(self)->cancelling.fence; }

/* call-seq: canceller -> Request or nil */
static VALUE crew_canceller(VALUE self) { return crew_of(self)->cancelling.canceller; }

/* call-seq: seal -> crew
 *
 * The trunk takes no more requests, for good. */
static VALUE crew_seal(VALUE self) {
    crew_of(self)->cancelling.sealed = true;
    update(crew_of(self));
    return self;
}

/* call-seq: abandon_fence -> true or false
 *
 * Seals the trunk if no caller is left that would see its fence answered. */
static VALUE crew_abandon_fence(VALUE self) {
    crew_t *crew = crew_of(self);
    cancelling_lift(crew);
    if (NIL_P(crew->cancelling.fence) || !NIL_P(crew->cancelling.canceller) || !crew_is_deserted(crew)) return Qfalse;
    forget_fence(crew);
    crew->cancelling.exposed = true;
    return RTEST(crew_seal(self)) ? Qtrue : Qfalse;
}

/* call-seq: given_up -> Request or nil
 *
 * What the server works on, where no caller waits for that. */
static VALUE crew_given_up(VALUE self) {
    const crew_t *crew = crew_of(self);
    return crew_has_given_up_head(crew) ? fifo_head(crew_in_flight(crew)) : Qnil;
}

/* call-seq: cancel_again(seconds) -> crew
 *
 * The leader at that time asks its trunk to pass_given_up in so many seconds from now. */
static VALUE crew_cancel_again(VALUE self, VALUE seconds) {
    crew_of(self)->cancelling.again = clock_now() + NUM2DBL(seconds);
    return self;
}

/* call-seq: forsaken?(target) -> true or false
 *
 * Are several statements in flight, and no caller waits for any? target: the one that its caller is about to give up, or nil. */
static VALUE crew_is_forsaken(VALUE self, VALUE target) {
    const fifo_t *fifo = crew_in_flight(crew_of(self));
    size_t statements = 0;
    for (size_t at = 0; at < fifo->count; at++) {
        VALUE request = fifo_at(fifo, at);
        if (NIL_P(request)) continue;
        if (request != target && !request_of(request)->done) return Qfalse;
        statements += request_of(request)->service != NULL;
    }
    return RBOOL(statements > 1);
}

/* call-seq: held_up? -> true or false
 *
 * Does the server work on a request that takes long, or may, for all that is known, or that is late? */
static VALUE crew_get_held_up(VALUE self) { return RBOOL(crew_is_held_up(crew_of(self), clock_now())); }

/* call-seq: shut? -> true or false */
static VALUE crew_is_shut(VALUE self) { return RBOOL(crew_of(self)->shut); }

void Init_trunkline_cancelling(void) {
    sym_open = ID2SYM(rb_intern("open"));
    sym_fenced = ID2SYM(rb_intern("fenced"));
    sym_exposed = ID2SYM(rb_intern("exposed"));
    VALUE class = rb_const_get(mTrunkline, rb_intern("Crew"));
    rb_define_method(class, "begin_cancel", crew_begin_cancel, 2);
    rb_define_method(class, "aim", crew_aim, 2);
    rb_define_method(class, "fence_off", crew_fence_off, 2);
    rb_define_method(class, "finish_cancel", crew_finish_cancel, 1);
    rb_define_method(class, "lift", crew_lift, 0);
    rb_define_method(class, "fence", crew_fence, 0);
    rb_define_method(class, "canceller", crew_canceller, 0);
    rb_define_method(class, "seal", crew_seal, 0);
    rb_define_method(class, "abandon_fence", crew_abandon_fence, 0);
    rb_define_method(class, "given_up", crew_given_up, 0);
    rb_define_method(class, "cancel_again", crew_cancel_again, 1);
    rb_define_method(class, "forsaken?", crew_is_forsaken, 1);
    rb_define_method(class, "held_up?", crew_get_held_up, 0);
    rb_define_method(class, "shut?", crew_is_shut, 0);
}
