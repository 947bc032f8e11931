#include "request.h"

#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "../runtime/clock.h"
#include "../runtime/deadline.h"
#include "../runtime/interrupts.h"
#include "../../common/argument.h"
#include "../../common/classes.h"
#include "../../socket/process_generation.h"

VALUE cTrunklineRequest;
static ID id_push, id_new, id_resume;
static VALUE sym_done, sym_running, sym_parked;
static VALUE cFiber, blocking, cQueue; /* blocking: keywords of Fiber.new */

void request_mark(void *data) {
    request_t *request = data;
    rb_gc_mark(request->self);
    rb_gc_mark(request->fiber);
    rb_gc_mark(request->scheduler);
    rb_gc_mark(request->thread);
    rb_gc_mark(request->token);
    rb_gc_mark(request->failure);
    rb_gc_mark(request->cleared);
}

/* Only the parent of codecs' request types, which have their own free functions: no object of this type itself is allocated. */
const rb_data_type_t request_type = {
    .wrap_struct_name = "Trunkline::Request",
    .function = {.dmark = request_mark},
};

request_t *request_checked(VALUE object) { return rb_check_typeddata(object, &request_type); }

static void belong_to_caller(request_t *request) {
    request->fiber = rb_fiber_current();
    request->scheduler = rb_fiber_scheduler_current();
    request->thread = NIL_P(request->scheduler) ? Qnil : rb_thread_current();
}

void request_initialize(request_t *request, VALUE self) {
    request->self = self;
    request->token = request->failure = request->cleared = Qnil;
    request->deadline = request->wait_until = deadline_present();
    request->generation = process_generation;
    belong_to_caller(request);
}

void request_unlink(request_t *request) {
    if (!request->older) return;
    request->older->newer = request->newer;
    request->newer->older = request->older;
    request->older = request->newer = NULL;
}

bool request_mark_woken(request_t *request) {
    if (request->state != WAITER_PARKED) return false;
    request_unlink(request);
    request->state = WAITER_WOKEN;
    request->wake_up = WAKE_UP_OWED;
    return true;
}

bool request_sleeps_on(const request_t *request) {
    return request->state == WAITER_PARKED || (request->state == WAITER_WOKEN && request->wake_up == WAKE_UP_OWED);
}

bool request_wait_is_over(const request_t *request) { return !isinf(request->wait_until) && clock_now() >= request->wait_until; }

bool request_deadline_passed(const request_t *request) { return !isinf(request->deadline) && clock_now() >= request->deadline; }

bool request_finish(request_t *request) {
    request->done = true;
    if (!NIL_P(request->cleared)) {
        rb_ary_clear(request->cleared);
        request->cleared = Qnil;
    }
    return request_mark_woken(request);
}

/* call-seq: inherited? -> true or false
 *
 * Whether a parent process has made it: its waiter is a copy of the parent's fiber, and it must not be sent here too. */
static VALUE request_is_inherited(VALUE self) { return RBOOL(request_of(self)->generation != process_generation); }

/* call-seq: done? -> true or false */
static VALUE request_is_done(VALUE self) { return RBOOL(request_of(self)->done); }

/* call-seq: parked? -> true or false */
static VALUE request_is_parked(VALUE self) { return RBOOL(request_of(self)->state == WAITER_PARKED); }

/* call-seq: sleeps_on? -> true or false
 *
 * Whether a waiter that its scheduler resumes sleeps again: it is parked, or its wake-up is owed still. */
static VALUE request_must_sleep_on(VALUE self) { return RBOOL(request_sleeps_on(request_of(self))); }

/* call-seq: resume -> :done, :running or :parked
 *
 * The waiter runs again, and has received its wake-up. :done, :running: its request is done, or not. :parked: it has not been woken, and stays
 * parked. */
static VALUE request_resume(VALUE self) {
    request_t *request = request_of(self);
    if (request->state == WAITER_PARKED) return sym_parked;
    request->state = WAITER_RUNNING;
    return request->done ? sym_done : sym_running;
}

static VALUE unblock(VALUE self) {
    const request_t *request = request_of(self);
    return rb_fiber_scheduler_unblock(request->scheduler, self, request->fiber);
}

static VALUE unblock_in_fiber(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, self)) { return unblock(self); }

static VALUE unblock_on_other_scheduler(VALUE self) {
    if (NIL_P(rb_fiber_scheduler_current())) return unblock(self);
    return rb_funcallv(rb_block_call_kw(cFiber, id_new, 1, &blocking, unblock_in_fiber, self, RB_PASS_KEYWORDS), id_resume, 0, NULL);
}

static VALUE warn_of_failure(VALUE self, VALUE error) {
    rb_warn("trunkline: a scheduler did not wake its fiber: %" PRIsVALUE " (%s)", error, rb_obj_classname(error));
    return Qnil;
}

static VALUE unblock_uninterrupted(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, self)) {
    return rb_rescue2(unblock_on_other_scheduler, self, warn_of_failure, self, rb_eStandardError, (VALUE)0);
}

/* call-seq: wake -> request
 *
 * Gives the waiter the wake-up that it is owed since it became woken: a fiber through its scheduler, a thread through its token. Some schedulers
 * resume the fiber at once, within this call.
 *
 * Another scheduler than the caller's may sleep here, on a lock of its own for instance. An interrupt in that sleep would lose the wake-up, so
 * interrupts are masked, and a calling fiber runs this in a blocking fiber, in which it cannot be cancelled. An error of that scheduler is not raised
 * to the caller. */
VALUE request_wake(VALUE self) {
    request_t *request = request_of(self);
    request->wake_up = WAKE_UP_UNDER_WAY;
    if (NIL_P(request->scheduler)) {
        if (!NIL_P(request->token)) rb_funcall(request->token, id_push, 1, Qnil); /* nil: it does not sleep yet */
    } else if (request->scheduler == rb_fiber_scheduler_current()) {
        unblock(self);
    } else {
        interrupts_never(unblock_uninterrupted, self);
    }
    if (request->wake_up == WAKE_UP_UNDER_WAY) request->wake_up = WAKE_UP_DELIVERED; /* else the waiter ran meanwhile, parked and is owed another */
    return self;
}

bool request_wakes_at_once(VALUE self) {
    const request_t *request = request_of(self);
    return NIL_P(request->scheduler) && (NIL_P(request->token) || RTEST(rb_obj_is_kind_of(request->token, cQueue)));
}

/* call-seq: delivered? -> true or false
 *
 * Whether the wake-up that the waiter is owed has been given: a thread gives it a moment after it has made the waiter woken. */
static VALUE request_is_delivered(VALUE self) { return RBOOL(request_of(self)->wake_up == WAKE_UP_DELIVERED); }

/* call-seq: cancel_park -> true or false
 *
 * The waiter runs again without having received a wake-up. True: one is on its way, and must be received. */
static VALUE request_cancel_park(VALUE self) {
    request_t *request = request_of(self);
    bool owed = request->state == WAITER_WOKEN;
    request_unlink(request);
    request->state = WAITER_RUNNING;
    return RBOOL(owed);
}

/* call-seq: adopt -> request
 *
 * Makes the calling fiber or thread the waiter. */
static VALUE request_adopt(VALUE self) {
    request_t *request = request_of(self);
    if (request->state == WAITER_RUNNING) belong_to_caller(request);
    return self;
}

/* call-seq: park -> request
 *
 * The waiter is about to sleep, on no connection, until a call of mark_woken. */
static VALUE request_park(VALUE self) {
    request_of(self)->state = WAITER_PARKED;
    return self;
}

/* call-seq: mark_woken -> true or false
 *
 * True: the waiter was parked, and the caller owes it a wake-up; no interrupt may come before it has given that. */
static VALUE request_try_mark_woken(VALUE self) { return RBOOL(request_mark_woken(request_of(self))); }

/* call-seq: wake_if_parked -> true or false
 *
 * Wakes the waiter, if it is parked. False: it was not. */
static VALUE request_wake_if_parked(VALUE self) {
    if (!request_mark_woken(request_of(self))) return Qfalse;
    request_wake(self);
    return Qtrue;
}

/* call-seq: pin -> request
 *
 * The request may be sent only over a reserved connection. */
static VALUE request_pin(VALUE self) {
    request_of(self)->pinned = true;
    return self;
}

/* call-seq: limit(seconds) -> request
 *
 * Sets its deadline, so many seconds from now. An earlier deadline stays. */
static VALUE request_limit(VALUE self, VALUE seconds) {
    request_t *request = request_of(self);
    request->deadline = request->wait_until = fmin(request->deadline, deadline_in(seconds));
    return self;
}

/* call-seq: copy_limits(other) -> request
 *
 * Takes over the deadline and the idempotency of the other request. */
static VALUE request_copy_limits(VALUE self, VALUE object) {
    request_t *request = request_of(self), *other = request_checked(object);
    request->deadline = request->wait_until = other->deadline;
    request->idempotent = other->idempotent;
    return self;
}

/* call-seq: deadline -> Float or nil */
static VALUE request_get_deadline(VALUE self) { return deadline_value(request_of(self)->deadline); }

/* call-seq: deadline_passed? -> true or false */
static VALUE request_is_deadline_passed(VALUE self) { return RBOOL(request_deadline_passed(request_of(self))); }

/* call-seq: wait_until = Float or nil
 *
 * Until when its waiter waits at most; an earlier deadline stays in force. */
static VALUE request_set_wait_until(VALUE self, VALUE until) {
    request_t *request = request_of(self);
    request->wait_until = NIL_P(until) ? request->deadline : fmin(request->deadline, NUM2DBL(until));
    return until;
}

/* call-seq: extend_wait(until) -> request
 *
 * Its waiter waits until then, a Float, whatever its deadline was. */
static VALUE request_extend_wait(VALUE self, VALUE until) {
    request_of(self)->wait_until = NUM2DBL(until);
    return self;
}

/* call-seq: wait_over? -> true or false
 *
 * Whether its waiter's time to wait is over. */
static VALUE request_get_wait_over(VALUE self) { return RBOOL(request_wait_is_over(request_of(self))); }

/* call-seq: fail(failure) -> request
 *
 * Fails the request, unless it is done: a later answer is discarded. Its waiter is woken. */
static VALUE request_fail(VALUE self, VALUE failure) {
    request_t *request = request_of(self);
    if (request->done) return self;
    request->failure = failure;
    return request_finish(request) ? request_wake(self) : self;
}

/* call-seq: fail_answered(failure) -> request
 *
 * Makes a request that is done count as failed, whatever its answer was. */
static VALUE request_fail_answered(VALUE self, VALUE failure) {
    request_of(self)->failure = failure;
    return self;
}

static VALUE request_is_pinned(VALUE self) { return RBOOL(request_of(self)->pinned); }
static VALUE request_is_long(VALUE self) { return RBOOL(request_of(self)->work.service && request_of(self)->work.service->is_long); }
static VALUE request_has_server_timeout(VALUE self) { return RBOOL(request_of(self)->has_server_timeout); }
static VALUE request_is_idempotent(VALUE self) { return RBOOL(request_of(self)->idempotent); }

static VALUE request_set_idempotent(VALUE self, VALUE idempotent) {
    if (idempotent != Qtrue && RTEST(idempotent)) rb_raise(rb_eTypeError, "idempotent must be true or false, not %"PRIsVALUE, argument_shown(idempotent));
    request_of(self)->idempotent = RTEST(idempotent);
    return idempotent;
}

/* call-seq: pipelined! -> request
 *
 * Its caller sends more requests without waiting for the answer. */
static VALUE request_set_pipelined(VALUE self) {
    request_of(self)->pipelined = true;
    return self;
}

/* call-seq: clear_when_done(entry) -> entry
 *
 * Has the Array emptied when the request is done, so that a list of unfinished requests keeps no answers. */
static VALUE request_clear_when_done(VALUE self, VALUE entry) {
    request_t *request = request_of(self);
    Check_Type(entry, T_ARRAY);
    return request->done ? rb_ary_clear(entry) : (request->cleared = entry);
}

/* call-seq: claim -> true or false
 *
 * Claims the request, which one caller at a time may wait for, and makes the calling fiber or thread its waiter. False: another has claimed it. */
static VALUE request_claim(VALUE self) {
    request_t *request = request_of(self);
    if (request->claimed) return Qfalse;
    if (request->state == WAITER_RUNNING) belong_to_caller(request);
    return RBOOL(request->claimed = true);
}

/* call-seq: disclaim -> request */
static VALUE request_disclaim(VALUE self) {
    request_of(self)->claimed = false;
    return self;
}

static VALUE request_is_active(VALUE self) { return RBOOL(request_of(self)->active); }
static VALUE request_is_claimed(VALUE self) { return RBOOL(request_of(self)->claimed); }
static VALUE request_get_fiber(VALUE self) { return request_of(self)->fiber; }
static VALUE request_get_scheduler(VALUE self) { return request_of(self)->scheduler; }
static VALUE request_get_token(VALUE self) { return request_of(self)->token; }
static VALUE request_set_token(VALUE self, VALUE token) { return request_of(self)->token = token; }
static VALUE request_get_failure(VALUE self) { return request_of(self)->failure; }

/* call-seq: server_seconds -> Float or nil
 *
 * Measured seconds of the server's work on it. */
static VALUE request_get_server_seconds(VALUE self) {
    double taken = request_of(self)->work.server_seconds;
    return taken > 0 ? DBL2NUM(taken) : Qnil;
}

void Init_trunkline_request(void) {
    sym_done = ID2SYM(rb_intern("done"));
    sym_running = ID2SYM(rb_intern("running"));
    sym_parked = ID2SYM(rb_intern("parked"));
    id_push = rb_intern("push");
    id_new = rb_intern("new");
    id_resume = rb_intern("resume");
    cFiber = rb_const_get(rb_cObject, rb_intern("Fiber"));
    rb_gc_register_mark_object(cFiber);
    cQueue = rb_path2class("Thread::Queue");
    rb_gc_register_mark_object(cQueue);
    blocking = rb_hash_new();
    rb_hash_aset(blocking, ID2SYM(rb_intern("blocking")), Qtrue);
    rb_gc_register_mark_object(rb_obj_freeze(blocking));
    cTrunklineRequest = rb_define_class_under(mTrunkline, "Request", rb_cObject);
    rb_undef_alloc_func(cTrunklineRequest);
    rb_define_method(cTrunklineRequest, "done?", request_is_done, 0);
    rb_define_method(cTrunklineRequest, "inherited?", request_is_inherited, 0);
    rb_define_method(cTrunklineRequest, "parked?", request_is_parked, 0);
    rb_define_method(cTrunklineRequest, "sleeps_on?", request_must_sleep_on, 0);
    rb_define_method(cTrunklineRequest, "resume", request_resume, 0);
    rb_define_method(cTrunklineRequest, "wake", request_wake, 0);
    rb_define_method(cTrunklineRequest, "delivered?", request_is_delivered, 0);
    rb_define_method(cTrunklineRequest, "cancel_park", request_cancel_park, 0);
    rb_define_method(cTrunklineRequest, "adopt", request_adopt, 0);
    rb_define_method(cTrunklineRequest, "park", request_park, 0);
    rb_define_method(cTrunklineRequest, "mark_woken", request_try_mark_woken, 0);
    rb_define_method(cTrunklineRequest, "wake_if_parked", request_wake_if_parked, 0);
    rb_define_method(cTrunklineRequest, "pin", request_pin, 0);
    rb_define_method(cTrunklineRequest, "pinned?", request_is_pinned, 0);
    rb_define_method(cTrunklineRequest, "long?", request_is_long, 0);
    rb_define_method(cTrunklineRequest, "pipelined!", request_set_pipelined, 0);
    rb_define_method(cTrunklineRequest, "server_timeout?", request_has_server_timeout, 0);
    rb_define_method(cTrunklineRequest, "limit", request_limit, 1);
    rb_define_method(cTrunklineRequest, "copy_limits", request_copy_limits, 1);
    rb_define_method(cTrunklineRequest, "deadline", request_get_deadline, 0);
    rb_define_method(cTrunklineRequest, "deadline_passed?", request_is_deadline_passed, 0);
    rb_define_method(cTrunklineRequest, "wait_until=", request_set_wait_until, 1);
    rb_define_method(cTrunklineRequest, "extend_wait", request_extend_wait, 1);
    rb_define_method(cTrunklineRequest, "wait_over?", request_get_wait_over, 0);
    rb_define_method(cTrunklineRequest, "fail", request_fail, 1);
    rb_define_method(cTrunklineRequest, "fail_answered", request_fail_answered, 1);
    rb_define_method(cTrunklineRequest, "idempotent?", request_is_idempotent, 0);
    rb_define_method(cTrunklineRequest, "idempotent=", request_set_idempotent, 1);
    rb_define_method(cTrunklineRequest, "active?", request_is_active, 0);
    rb_define_method(cTrunklineRequest, "clear_when_done", request_clear_when_done, 1);
    rb_define_method(cTrunklineRequest, "claim", request_claim, 0);
    rb_define_method(cTrunklineRequest, "disclaim", request_disclaim, 0);
    rb_define_method(cTrunklineRequest, "claimed?", request_is_claimed, 0);
    rb_define_method(cTrunklineRequest, "fiber", request_get_fiber, 0);
    rb_define_method(cTrunklineRequest, "scheduler", request_get_scheduler, 0);
    rb_define_method(cTrunklineRequest, "token", request_get_token, 0);
    rb_define_method(cTrunklineRequest, "token=", request_set_token, 1);
    rb_define_method(cTrunklineRequest, "failure", request_get_failure, 0);
    rb_define_method(cTrunklineRequest, "server_seconds", request_get_server_seconds, 0);
}
