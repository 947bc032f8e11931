#include "leader_election.h"

/* The election of a connection's leader, the caller that reads for all: the methods of Trunkline::ConnectionState by which callers lead, are
 * parked while another leads, and hand the lead over when they leave. */
#include "connection_state.h"

#include <math.h>
#include "clock.h"
#include "deadline.h"
#include "occupancy.h"
#include "../../common/classes.h"

static void park(connection_t *connection, request_t *request) {
    request->older = connection->parked.older;
    request->newer = &connection->parked;
    request->older->newer = request;
    connection->parked.older = request;
    request->state = WAITER_PARKED;
}

/* call-seq: lead(request) -> true, false, Float or nil
 *
 * True: the waiter leads now, or did already. False: it is parked and must sleep until it is woken, if only by a leader that looks at the
 * clock. A Float: it is parked, and must not sleep longer than until then, for the leader will. Nil: it has its answer.
 *
 * Also on a trunk that has been reserved for another caller since: what it waits for is in flight here. */
VALUE connection_lead(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_t *request = request_checked(object);
    connection_forget_other_dropped(connection, request->scheduler);
    if (connection->next_leader == object) connection->next_leader = Qnil;
    if (request->done) return Qnil;
    if (request->until < connection->earliest) connection->earliest = request->until;
    if (NIL_P(connection->leader) && connection_activate_to_wait(connection, request)) connection->leader = object;
    if (connection->leader == object) return Qtrue;
    park(connection, request);
    return request->until < connection->rest ? DBL2NUM(request->until) : Qfalse;
}

/* call-seq: take_lead(request) -> true or false
 *
 * False: another waiter leads, or is about to, or the active callers are of another scheduler; this one is not parked. */
static VALUE connection_take_lead(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_t *request = request_checked(object);
    connection_forget_other_dropped(connection, request->scheduler);
    if (connection_is_led(connection) || !connection_activate_to_wait(connection, request)) return Qfalse;
    connection->leader = object;
    return Qtrue;
}

/* call-seq: rest -> Float or nil
 *
 * The leader goes to sleep, and looks at the clock then at the latest; nil: no waiter has a deadline, and silence is not looked into. */
VALUE connection_rest(VALUE self) {
    connection_t *connection = connection_of(self);
    connection->rest = fmin(fmin(connection->earliest, connection->cancelling.again), silence_due(connection));
    return deadline_value(connection->rest);
}

/* Takes the parked whose time is over out of the list, and finds the earliest of the others. To push may collect garbage,
 * and with it parked requests: the list is looked at from its beginning again. */
static void expire(connection_t *connection, double now, VALUE woken) {
    double earliest = NIL_P(connection->leader) ? INFINITY : request_of(connection->leader)->until;
    request_t *parked = connection->parked.newer;
    while (parked != &connection->parked) {
        if (parked->until <= now && request_wake_up(parked)) {
            rb_ary_push(woken, parked->self);
            parked = connection->parked.newer;
        } else {
            earliest = fmin(earliest, parked->until);
            parked = parked->newer;
        }
    }
    connection->earliest = earliest;
}

/* call-seq: rise(woken) -> connection
 *
 * The leader is awake. The parked waiters whose deadlines have passed are pushed to the Array `woken`, and are owed
 * a wake-up. */
VALUE connection_rise(VALUE self, VALUE woken) {
    connection_t *connection = connection_of(self);
    connection->rest = -INFINITY;
    if (isinf(connection->earliest)) return self;
    double now = clock_now();
    if (now >= connection->earliest) expire(connection, now, woken);
    return self;
}

/* The next leader: the newest of those parked now, of the connection's scheduler while it has active callers. That one need
 * not be parked here: a caller may be active only to keep the trunk. */
static request_t *successor(connection_t *connection) {
    for (request_t *parked = connection->parked.older; parked != &connection->parked; parked = parked->older) {
        if (connection->active == 0 || parked->active || connection_admits(connection, parked->scheduler, parked->pinned)) return parked;
    }
    return NULL;
}

VALUE connection_resign(connection_t *connection, VALUE object) {
    if (connection->leader == object) {
        connection->leader = Qnil;
        connection->rest = -INFINITY;
    }
    if (connection->next_leader == object) connection->next_leader = Qnil;
    if (connection_is_led(connection)) return Qnil;
    request_t *next = successor(connection);
    if (!next) return Qfalse;
    request_wake_up(next);
    return connection->next_leader = next->self;
}

/* call-seq: leave(request) -> nil, request or false
 *
 * The request's waiter goes, for whatever reason: it is taken out of every list, and gives up the lead if it had it: see connection_resign for
 * what is returned. */
VALUE connection_leave(VALUE self, VALUE object) {
    connection_t *connection = connection_of(self);
    request_t *request = request_checked(object);
    request_unlink(request);
    request->state = WAITER_RUNNING;
    if (request->active) {
        request->active = false;
        if (connection->active > 0 && --connection->active == 0) connection->scheduler = connection->thread = Qnil;
        occupancy_keep_no_more(connection_in_flight(connection), request);
    }
    return connection_resign(connection, object);
}

/* call-seq: led? -> true or false
 *
 * Is there a leader, or one on its way? */
static VALUE connection_get_led(VALUE self) { return RBOOL(connection_is_led(connection_of(self))); }

/* call-seq: leads?(request) -> true or false */
static VALUE connection_get_leads(VALUE self, VALUE object) { return RBOOL(connection_leads(connection_of(self), object)); }

void Init_trunkline_leader_election(void) {
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "lead", connection_lead, 1);
    rb_define_method(class, "take_lead", connection_take_lead, 1);
    rb_define_method(class, "leads?", connection_get_leads, 1);
    rb_define_method(class, "rest", connection_rest, 0);
    rb_define_method(class, "rise", connection_rise, 1);
    rb_define_method(class, "leave", connection_leave, 1);
    rb_define_method(class, "led?", connection_get_led, 0);
}
