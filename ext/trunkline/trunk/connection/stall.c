#include "stall.h"

#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "../runtime/clock.h"
#include "backlog.h"
#include "leader_election.h"
#include "../../common/classes.h"
#include "../../socket/bytes_class.h"
#include "../../socket/socket.h"

/* Seconds that count at most from one check to the next, a bound: a process that was stopped as a whole (SIGSTOP) has not stalled meanwhile. The stop counts
 * for one of the 30 seconds after which requests are lost (Stall in Ruby). Checks come every 20 ms, so a stall counts in full unless the machine delays
 * them fiftyfold. */
#define LONGEST_STEP 1.0

/* Seconds after which a caller that was woken to lead counts as dropped, or its event loop as blocked: a bound, as LONGEST_TURN in waiting.rb. */
#define LONGEST_TURN 1.0

static uint64_t transfers(const connection_t *connection) {
    const codec_base_t *codec = connection_codec(connection);
    return bytes_transfers(codec->input) + bytes_transfers(codec->output);
}

/* Whether the socket is readable, or writable while output is left. */
static bool is_ready(connection_t *connection) {
    if (connection_has_answer(connection)) return true;
    return codec_base_unsent(connection_codec(connection)) > 0 && connection->descriptor >= 0 && socket_has_room(connection->descriptor);
}

/* Whether the leader should have woken by itself: at a deadline, or to show that its event loop runs. Without a leader, whether an active caller should
 * run: one that has its answer, or one that waits for something else and keeps the connection meanwhile. */
static bool has_overslept(const connection_t *connection) {
    double wakes_by = connection->stall.wakes_by;
    if (NIL_P(connection->leader)) return isinf(wakes_by) ? connection_is_settled(connection) : clock_now() > wakes_by;
    return connection->leader_asleep && isfinite(connection->leader_sleeps_until) && clock_now() > connection->leader_sleeps_until;
}

/* Whether the next step is that of a fiber which only its event loop can resume. A leader that is awake does not count: it may take its time with an
 * answer. Without a leader, the fiber that was woken to lead has the next step, or one that has an abandoned request cancelled, which takes a quarter
 * of a second. */
static bool waits_for_event_loop(const connection_t *connection) {
    return NIL_P(connection->leader) || connection->leader_asleep || connection->leader_yielding || connection->flusher_yielding;
}

/* A caller that ends or cancels a request that it abandoned takes a second at most, also a leader that cancels what was abandoned ahead of it: it is awake,
 * and waits on another connection. The calling thread's own event loop is not blocked. */
static bool has_stalled(connection_t *connection) {
    if (connection->generation != process_generation || connection->lost) return false;
    if (connection->active == 0) return connection->endings > 0 || !NIL_P(connection->cancelling.canceller);
    if (NIL_P(connection->scheduler) || connection->scheduler == rb_fiber_scheduler_get()) return false;
    if (!NIL_P(connection->cancelling.canceller)) return true;
    return waits_for_event_loop(connection) && (is_ready(connection) || has_overslept(connection));
}

/* A caller that was woken to lead and does not run may have been dropped by its event loop, which could not be collected then. One that runs after all
 * leads if no other does. */
static void forget_absent_leader(connection_t *connection, double now) {
    stall_t *stall = &connection->stall;
    if (NIL_P(connection->next_leader) || stall->elected != connection->next_leader) {
        stall->elected = connection->next_leader;
        stall->elected_at = now;
    } else if (now - stall->elected_at >= LONGEST_TURN) {
        connection->next_leader = stall->elected = Qnil;
    }
}

/* call-seq: stalled_for -> Float
 *
 * Seconds for which the connection's callers, or one that is ending an abandoned request, have had something to do and have not run, as far as calls
 * of this method have seen it. */
static VALUE connection_stalled_for(VALUE self) {
    connection_t *connection = connection_of(self);
    stall_t *stall = &connection->stall;
    double now = clock_now();
    bool stalled = has_stalled(connection);
    forget_absent_leader(connection, now);
    if (!stalled || stall->transfers != transfers(connection)) stall->seconds = 0;
    else if (stall->checked_at > 0) stall->seconds += fmin(now - stall->checked_at, LONGEST_STEP);
    stall->checked_at = stalled ? now : 0;
    stall->transfers = transfers(connection);
    return DBL2NUM(stall->seconds);
}

/* call-seq: wakes_by(time) -> connection
 *
 * An active caller, which waits for something else than what comes over this connection, wakes by then, on the clock of Waiting.now, and calls this
 * again. */
static VALUE connection_set_wakes_by(VALUE self, VALUE time) {
    connection_of(self)->stall.wakes_by = NUM2DBL(time);
    return self;
}

/* call-seq: lead_can_be_taken_over? -> true or false
 *
 * Whether another caller may take over the lead of shared callers without loss: the leader's answer is the last in flight, so it is woken by what
 * comes then, or by the end of the connection. A leader before others would sleep until the next of them is answered. */
static VALUE connection_get_lead_can_be_taken_over(VALUE self) {
    const connection_t *connection = connection_of(self);
    const in_flight_t *in_flight = connection_in_flight(connection);
    if (connection->reserved) return Qfalse;
    return RBOOL(!connection->leader_asleep || fifo_find(&in_flight->fifo, connection->leader) + 1 >= in_flight->fifo.count);
}

/* call-seq: take_lead_over(request) -> connection
 *
 * Makes the request's waiter the leader until hand_lead_back; it may be of another event loop. */
static VALUE connection_take_lead_over(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_checked(object);
    connection->stall.displaced = connection->leader_asleep ? connection->leader : Qnil;
    connection->leader = object;
    connection->leader_asleep = connection->leader_yielding = false;
    return self;
}

/* call-seq: hand_lead_back(request) -> Request or nil
 *
 * Returns the lead to the displaced leader, if it still sleeps and waits for more. Otherwise returns the next leader, if one was elected: it is owed
 * its wake-up. What was read meanwhile does not count as progress of the connection's own callers. */
static VALUE connection_hand_lead_back(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    VALUE displaced = connection->stall.displaced;
    request_checked(object);
    connection->stall.displaced = Qnil;
    connection->stall.transfers = transfers(connection);
    if (NIL_P(displaced) || request_of(displaced)->done || !connection_leads(connection, object)) {
        return connection_leave(connection, object) == SUCCESSION_NEXT ? connection->next_leader : Qnil;
    }
    connection->leader = displaced;
    connection->leader_asleep = true;
    return Qnil;
}

void Init_trunkline_stall(void) {
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "wakes_by", connection_set_wakes_by, 1);
    rb_define_method(class, "stalled_for", connection_stalled_for, 0);
    rb_define_method(class, "lead_can_be_taken_over?", connection_get_lead_can_be_taken_over, 0);
    rb_define_method(class, "take_lead_over", connection_take_lead_over, 1);
    rb_define_method(class, "hand_lead_back", connection_hand_lead_back, 1);
}
