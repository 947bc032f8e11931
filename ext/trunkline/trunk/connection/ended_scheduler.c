#include "ended_scheduler.h"

/* Fibers that their event loop has dropped while they waited: none of them leaves the connection. A thread that ends drops its fibers, and so does an
 * event loop that is closed before they have ended. */
#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "../requests/occupancy.h"
#include "../../common/classes.h"

/* Ruby has a scheduler run its fibers to their end, by close, before the thread has another scheduler or none. So when the thread itself runs without
 * the scheduler, close has returned. Nothing less is sufficient: closed? of a scheduler may be true while its fibers still run within close. */
bool scheduler_has_ended(VALUE scheduler, VALUE thread) {
    if (!RTEST(rb_funcall(thread, rb_intern("alive?"), 0))) return true;
    return thread == rb_thread_current() && rb_fiber_scheduler_get() != scheduler;
}

static bool is_of(const connection_t *connection, VALUE request) { return !NIL_P(request) && request_of(request)->scheduler == connection->scheduler; }

/* If such a fiber runs after all, it finds that it has left, and is owed no wake-up. */
static void forget_parked(connection_t *connection) {
    request_t *parked = connection->parked.newer;
    while (parked != &connection->parked) {
        request_t *next = parked->newer;
        if (parked->scheduler == connection->scheduler && request_mark_woken(parked)) {
            parked->wake_up = WAKE_UP_DELIVERED;
            parked->active = false;
        }
        parked = next;
    }
}

static void forget_waiter(const connection_t *connection, VALUE *role) {
    if (!is_of(connection, *role)) return;
    request_of(*role)->active = false;
    *role = Qnil;
}

static VALUE abandonment(void) {
    return rb_struct_new(rb_const_get(mTrunkline, rb_intern("Abandonment")), ID2SYM(rb_intern("cancel")), Qtrue);
}

/* Fails the requests that the dropped fibers wait for: their answers are not kept, so another thread that has the future of one gets an error.
 * Futures that no fiber waits for are not active, and keep their answers. */
static void forget_in_flight(connection_t *connection, VALUE failure) {
    in_flight_t *in_flight = connection_in_flight(connection);
    for (size_t at = 0; at < in_flight->fifo.count; at++) {
        if (!is_of(connection, fifo_at(&in_flight->fifo, at))) continue;
        request_t *request = request_of(fifo_at(&in_flight->fifo, at));
        if (!request->active) continue;
        if (!request->done) request->failure = failure;
        request->done = true;
        request->active = false;
    }
    if (in_flight->occupant.kept && in_flight->occupant.kept->scheduler == connection->scheduler) occupancy_keep_no_more(&in_flight->occupant, in_flight->occupant.kept);
}

static void forget_lead(connection_t *connection) {
    forget_waiter(connection, &connection->leader);
    forget_waiter(connection, &connection->next_leader);
    connection->leader_sleeps_until = -INFINITY;
    connection->leader_asleep = connection->checking_alive = connection->leader_yielding = connection->flusher_yielding = false;
}

bool connection_forget_dropped(connection_t *connection) {
    VALUE scheduler = connection->scheduler, failure;
    if (connection->active == 0 || NIL_P(scheduler) || !scheduler_has_ended(scheduler, connection->thread)) return false;
    failure = abandonment();
    if (connection->active == 0 || connection->scheduler != scheduler) return false; /* another thread has forgotten them meanwhile */
    forget_parked(connection);
    forget_in_flight(connection, failure);
    forget_lead(connection);
    connection->active = connection->endings = 0;
    connection->callers_dropped = connection->reserved;
    connection->scheduler = connection->thread = Qnil;
    return true;
}

/* call-seq: displace_leader -> connection
 *
 * The leader, whose event loop does not run, leads no longer, and another caller may. If it runs again, it finds that it has left, as one that was
 * dropped. For a connection whose callers are active only while they lead, or that is lost: it refers to that event loop no longer. A caller that is
 * active and does not lead stays so: it ends that itself if it runs again, and would end another's activity if it were forgotten before. */
static VALUE connection_displace_leader(VALUE self) {
    connection_t *connection = connection_of(self);
    if (!connection->lost && connection->active > (connection_is_led(connection) ? 1 : 0)) return self;
    forget_lead(connection);
    connection->next_leader = Qnil; /* one that was not active, of another event loop */
    connection->active = 0;
    connection->scheduler = connection->thread = Qnil;
    return self;
}

/* call-seq: forget_dropped -> true or false
 *
 * Forgets the active callers if their event loop has ended. True: it had, now or, for a reserved connection, at any time since it was reserved: a
 * caller that chooses a connection may have found that out before. */
static VALUE connection_forgets_dropped(VALUE self) {
    connection_t *connection = connection_of(self);
    return RBOOL(connection_forget_dropped(connection) || connection->callers_dropped);
}

/* call-seq: dropped? -> true or false
 *
 * Whether its waiter is a fiber of an event loop that has ended. */
static VALUE request_is_dropped(VALUE self) {
    const request_t *request = request_of(self);
    return RBOOL(!NIL_P(request->scheduler) && scheduler_has_ended(request->scheduler, request->thread));
}

void Init_trunkline_ended_scheduler(void) {
    rb_define_method(cTrunklineRequest, "dropped?", request_is_dropped, 0);
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "forget_dropped", connection_forgets_dropped, 0);
    rb_define_method(class, "displace_leader", connection_displace_leader, 0);
}
