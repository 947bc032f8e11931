#include "leader_election.h"

#include <math.h>
#include "../runtime/clock.h"
#include "../runtime/deadline.h"
#include "ended_scheduler.h"
#include "../requests/occupancy.h"
#include "silence.h"
#include "../../common/classes.h"

static VALUE sym_leads, sym_parked, sym_answered;

static void park(connection_t *connection, request_t *request) {
    request->older = connection->parked.older;
    request->newer = &connection->parked;
    request->older->newer = request;
    connection->parked.older = request;
    request->state = WAITER_PARKED;
}

election_t connection_elect(connection_t *connection, VALUE object) {
    request_t *request = request_of(object);
    connection_forget_other_dropped(connection, request->scheduler);
    if (connection->next_leader == object) connection->next_leader = Qnil;
    if (request->done) return ELECTION_ANSWERED;
    if (request->wait_until < connection->earliest_timeout) connection->earliest_timeout = request->wait_until;
    if (NIL_P(connection->leader) && connection_activate_to_wait(connection, request)) connection->leader = object;
    if (connection->leader == object) return ELECTION_LEADS;
    park(connection, request);
    return ELECTION_PARKED;
}

/* A leader of another event loop may have been dropped, and wakes no other then. */
double connection_sleeps_until(const connection_t *connection, const request_t *request) {
    bool covered = request->wait_until >= connection->leader_sleeps_until && request->scheduler == connection->scheduler;
    return covered ? INFINITY : request->wait_until;
}

/* call-seq: lead(request) -> :leads, :parked or :answered */
static VALUE connection_lead(VALUE self, VALUE object) {
    request_checked(object);
    switch (connection_elect(connection_of(self), object)) {
    case ELECTION_LEADS: return sym_leads;
    case ELECTION_PARKED: return sym_parked;
    default: return sym_answered;
    }
}

/* call-seq: sleeps_until(request) -> Float or nil
 *
 * Until when a parked waiter has to set its own timeout, on the clock of Waiting.now. Nil: it is woken, if only by a leader whose timeout covers it. */
static VALUE connection_get_sleeps_until(VALUE self, VALUE object) {
    return deadline_value(connection_sleeps_until(connection_of(self), request_checked(object)));
}

/* call-seq: take_lead(request) -> true or false
 *
 * Makes the request's waiter, which is not parked, the leader. False: another waiter leads or was woken to lead, or callers of another scheduler are
 * active. */
static VALUE connection_take_lead(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_t *request = request_checked(object);
    connection_forget_other_dropped(connection, request->scheduler);
    if (connection_is_led(connection) || !connection_activate_to_wait(connection, request)) return Qfalse;
    connection->leader = object;
    return Qtrue;
}

double connection_begin_sleep(connection_t *connection) {
    return connection->leader_sleeps_until = fmin(fmin(connection->earliest_timeout, connection->cancelling.recheck_at), silence_due(connection));
}

/* call-seq: begin_sleep -> Float or nil
 *
 * Nil: see connection_begin_sleep. */
static VALUE connection_get_sleep(VALUE self) { return deadline_value(connection_begin_sleep(connection_of(self))); }

/* Removes the parked waiters whose time is over, and finds the earliest of the others. Pushing may collect garbage, parked requests included: so the
 * list is read from its beginning again. */
static void expire(connection_t *connection, double now, VALUE woken) {
    double earliest = NIL_P(connection->leader) ? INFINITY : request_of(connection->leader)->wait_until;
    request_t *parked = connection->parked.newer;
    while (parked != &connection->parked) {
        if (parked->wait_until <= now && request_mark_woken(parked)) {
            rb_ary_push(woken, parked->self);
            parked = connection->parked.newer;
        } else {
            earliest = fmin(earliest, parked->wait_until);
            parked = parked->newer;
        }
    }
    connection->earliest_timeout = earliest;
}

void connection_end_sleep(connection_t *connection, VALUE woken) {
    connection->leader_sleeps_until = -INFINITY;
    if (isinf(connection->earliest_timeout)) return;
    double now = clock_now();
    if (now >= connection->earliest_timeout) expire(connection, now, woken);
}

/* call-seq: end_sleep(woken) -> connection */
static VALUE connection_get_end_of_sleep(VALUE self, VALUE woken) {
    Check_Type(woken, T_ARRAY);
    connection_end_sleep(connection_of(self), woken);
    return self;
}

/* The next leader: the newest parked waiter; where callers are active, one of their scheduler. There may be active callers and no parked one of their
 * scheduler: a caller may be active only to keep the connection. */
static request_t *successor(connection_t *connection) {
    for (request_t *parked = connection->parked.older; parked != &connection->parked; parked = parked->older) {
        if (connection->active == 0 || parked->active || connection_admits(connection, parked->scheduler, parked->pinned)) return parked;
    }
    return NULL;
}

succession_t connection_resign(connection_t *connection, VALUE object) {
    if (connection->leader == object) {
        connection->leader = Qnil;
        connection->leader_sleeps_until = -INFINITY;
        connection->checking_alive = connection->leader_yielding = false;
    }
    if (connection->next_leader == object) connection->next_leader = Qnil;
    if (connection_is_led(connection)) return SUCCESSION_LED;
    request_t *next = successor(connection);
    if (!next) return SUCCESSION_NONE;
    request_mark_woken(next);
    connection->next_leader = next->self;
    return SUCCESSION_NEXT;
}

succession_t connection_leave(connection_t *connection, VALUE object) {
    request_t *request = request_of(object);
    request_unlink(request);
    request->state = WAITER_RUNNING;
    connection_deactivate(connection, request);
    return connection_resign(connection, object);
}

/* call-seq: leave(request) -> Request or nil
 *
 * Returns the next leader, if one was elected now: it is owed its wake-up. */
static VALUE connection_get_next_leader(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_checked(object);
    return connection_leave(connection, object) == SUCCESSION_NEXT ? connection->next_leader : Qnil;
}

/* call-seq: led? -> true or false
 *
 * Whether there is a leader, or one that was woken to lead. */
static VALUE connection_get_led(VALUE self) { return RBOOL(connection_is_led(connection_of(self))); }

/* call-seq: leads?(request) -> true or false */
static VALUE connection_get_leads(VALUE self, VALUE object) { return RBOOL(connection_leads(connection_of(self), object)); }

void Init_trunkline_leader_election(void) {
    sym_leads = ID2SYM(rb_intern("leads"));
    sym_parked = ID2SYM(rb_intern("parked"));
    sym_answered = ID2SYM(rb_intern("answered"));
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "lead", connection_lead, 1);
    rb_define_method(class, "take_lead", connection_take_lead, 1);
    rb_define_method(class, "leads?", connection_get_leads, 1);
    rb_define_method(class, "sleeps_until", connection_get_sleeps_until, 1);
    rb_define_method(class, "begin_sleep", connection_get_sleep, 0);
    rb_define_method(class, "end_sleep", connection_get_end_of_sleep, 1);
    rb_define_method(class, "leave", connection_get_next_leader, 1);
    rb_define_method(class, "led?", connection_get_led, 0);
}
