#include "connection_state.h"

#include <math.h>
#include "../runtime/clock.h"
#include "cancelling.h"
#include "ended_scheduler.h"
#include "../../socket/tls_session.h"
#include "../../common/classes.h"

static VALUE connection_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(connection_allocate(class), argc, argv); }

/* call-seq: ConnectionState.new(codec, descriptor = nil)
 *
 * descriptor: the number of the socket that the codec's input comes from. */
static VALUE connection_initialize(int argc, VALUE *argv, VALUE self) {
    connection_t *connection = connection_of(self);
    VALUE codec, descriptor;
    rb_scan_args(argc, argv, "11", &codec, &descriptor);
    rb_check_typeddata(codec, &codec_base_type);
    connection->codec = codec;
    in_flight_connected(connection_in_flight(connection), clock_now());
    connection->descriptor = NIL_P(descriptor) ? -1 : NUM2INT(descriptor);
    return self;
}

/* call-seq: attach_io(wire, io, tls, callers_waiting, woken) -> connection
 *
 * Sets what the callers read and write with. io: the socket's IO where C reads and writes in place of the wire, or nil. tls: the TLSSession that C
 * uses, or nil. callers_waiting: the Flag that is on while callers wait for a connection of the pool. */
static VALUE connection_attach_io(VALUE self, VALUE wire, VALUE io, VALUE tls, VALUE callers_waiting, VALUE woken) {
    connection_t *connection = connection_of(self);
    Check_Type(woken, T_ARRAY);
    if (!NIL_P(io)) Check_Type(io, T_FILE);
    if (!NIL_P(tls)) tls_session_check(tls);
    connection->callers_waiting = flag_checked(callers_waiting);
    connection->callers_waiting_flag = callers_waiting;
    connection->wire = wire;
    connection->io = io;
    connection->tls = tls;
    connection->woken = woken;
    return self;
}

/* call-seq: lose -> connection
 *
 * The connection has ended; the caller fails what is in flight. */
static VALUE connection_lose(VALUE self) {
    connection_of(self)->lost = true;
    cancelling_end(connection_of(self));
    return self;
}

/* call-seq: forget_descriptor -> connection
 *
 * The descriptor was closed: the system may give its number to another file. */
static VALUE connection_forget_descriptor(VALUE self) {
    connection_of(self)->descriptor = -1;
    return self;
}

/* call-seq: set_in_flight_limits(requests, bytes, expiry) -> connection
 *
 * Sets the limits of requests and bytes in flight, and the time, on the clock of Waiting.now, from which the connection counts as expired. An earlier
 * expiry stays. */
static VALUE connection_set_in_flight_limits(VALUE self, VALUE requests, VALUE bytes, VALUE expiry) {
    connection_t *connection = connection_of(self);
    connection->max_requests = NUM2SIZET(requests);
    connection->max_bytes = NUM2ULL(bytes);
    connection->expiry = fmin(connection->expiry, NUM2DBL(expiry));
    return self;
}

/* call-seq: room? -> true or false */
static VALUE connection_room(VALUE self) { return RBOOL(connection_has_room(connection_of(self))); }

/* call-seq: expire -> connection
 *
 * Makes the connection expired from now on. */
static VALUE connection_expire(VALUE self) {
    connection_of(self)->expiry = 0;
    return self;
}

/* call-seq: expired? -> true or false */
static VALUE connection_is_expired(VALUE self) { return RBOOL(connection_is_old(connection_of(self), clock_now())); }

/* call-seq: admits?(scheduler) -> true or false
 *
 * Whether a waiter of this scheduler (nil: a plain thread) that shares the connection may become active now. */
static VALUE connection_may_come(VALUE self, VALUE scheduler) {
    connection_t *connection = connection_of(self);
    connection_forget_other_dropped(connection, scheduler);
    return RBOOL(connection_takes(connection, scheduler, false));
}

/* call-seq: round_trip -> Float or nil
 *
 * The shortest measured one, in seconds, or an upper bound of it; nil: none is known. */
static VALUE connection_get_round_trip(VALUE self) {
    double seconds = connection_in_flight(connection_of(self))->round_trip.seconds;
    return seconds == 0 ? Qnil : DBL2NUM(seconds);
}

/* call-seq: round_trip = Float
 *
 * Sets an upper bound, in seconds. */
static VALUE connection_set_round_trip(VALUE self, VALUE seconds) {
    round_trip_bound(&connection_in_flight(connection_of(self))->round_trip, NUM2DBL(seconds));
    return seconds;
}

/* call-seq: idle_since -> Float
 *
 * When the last request was answered, on the clock of Waiting.now; before the first, when the connection was opened. */
static VALUE connection_idle_since(VALUE self) { return DBL2NUM(connection_in_flight(connection_of(self))->load.idle_since); }

/* call-seq: unused_since -> Float
 *
 * Likewise, without this library's own liveness checks. */
static VALUE connection_unused_since(VALUE self) { return DBL2NUM(connection_in_flight(connection_of(self))->load.unused_since); }

/* call-seq: check_sent -> connection
 *
 * The request that was submitted last is a liveness check of this library, whose answer no caller waits for: the next caller reads it before it sends
 * anything. */
static VALUE connection_check_sent(VALUE self) {
    in_flight_note_check(connection_in_flight(connection_of(self)));
    return self;
}

/* call-seq: reserve -> true or false
 *
 * Reserves the connection for pinned requests. False: a caller is active, or it is reserved already, or takes no new requests. */
static VALUE connection_reserve(VALUE self) {
    connection_t *connection = connection_of(self);
    connection_forget_dropped(connection);
    if (!connection_takes(connection, Qnil, false) || !connection_is_deserted(connection)) return Qfalse;
    connection->reserved = true;
    return Qtrue;
}

static VALUE connection_is_reserved(VALUE self) { return RBOOL(connection_of(self)->reserved); }

/* call-seq: release -> connection
 *
 * Ends the reservation: callers of each scheduler, and threads, may become active again. */
static VALUE connection_release(VALUE self) {
    connection_of(self)->reserved = connection_of(self)->callers_dropped = false;
    return self;
}

/* call-seq: begin_ending -> connection
 *
 * A caller begins to end a request that it abandoned: until finish_ending the connection cannot be reserved. */
static VALUE connection_begin_ending(VALUE self) {
    connection_of(self)->endings++;
    return self;
}

/* call-seq: finish_ending -> true or false
 *
 * Whether the connection is deserted now. */
static VALUE connection_finish_ending(VALUE self) {
    if (connection_of(self)->endings > 0) connection_of(self)->endings--; /* 0 where dropped callers were forgotten meanwhile */
    return RBOOL(connection_is_deserted(connection_of(self)));
}

/* call-seq: deserted? -> true or false */
static VALUE connection_get_deserted(VALUE self) {
    connection_t *connection = connection_of(self);
    connection_forget_dropped(connection);
    return RBOOL(connection_is_deserted(connection));
}

bool connection_enter(connection_t *connection, VALUE request) {
    request_t *waiting = request_of(request);
    connection_forget_other_dropped(connection, waiting->scheduler);
    return !connection->shut && connection_activate(connection, waiting);
}

/* call-seq: enter(request) -> true or false
 *
 * Whether the request's waiter is active from now on; false: callers of another scheduler are active, or the connection takes no new requests. */
static VALUE connection_get_entered(VALUE self, VALUE request) {
    request_checked(request);
    return RBOOL(connection_enter(connection_of(self), request));
}

/* call-seq: deactivate(request) -> connection
 *
 * Ends the activity of a waiter that another caller has activated, and that has not run since. */
static VALUE connection_take_out(VALUE self, VALUE request) {
    connection_deactivate(connection_of(self), request_checked(request));
    return self;
}

/* call-seq: head -> Request or nil
 *
 * The oldest request in flight, on which the server works now. */
static VALUE connection_head(VALUE self) {
    VALUE head = fifo_head(&connection_in_flight(connection_of(self))->fifo);
    return head == Qundef ? Qnil : head;
}

/* call-seq: settled? -> true or false */
static VALUE connection_get_settled(VALUE self) { return RBOOL(connection_is_settled(connection_of(self))); }

/* call-seq: active -> Integer */
static VALUE connection_get_active(VALUE self) { return SIZET2NUM(connection_of(self)->active); }

/* call-seq: inherited? -> true or false
 *
 * Whether a parent process has made this. */
static VALUE connection_is_inherited(VALUE self) { return RBOOL(connection_of(self)->generation != process_generation); }

void Init_trunkline_connection_state(void) {
    VALUE class = rb_define_class_under(mTrunkline, "ConnectionState", rb_cObject);
    trunkline_define_new(class, connection_new);
    rb_define_method(class, "initialize", connection_initialize, -1);
    rb_define_method(class, "attach_io", connection_attach_io, 5);
    rb_define_method(class, "lose", connection_lose, 0);
    rb_define_method(class, "forget_descriptor", connection_forget_descriptor, 0);
    rb_define_method(class, "set_in_flight_limits", connection_set_in_flight_limits, 3);
    rb_define_method(class, "room?", connection_room, 0);
    rb_define_method(class, "expire", connection_expire, 0);
    rb_define_method(class, "expired?", connection_is_expired, 0);
    rb_define_method(class, "admits?", connection_may_come, 1);
    rb_define_method(class, "reserve", connection_reserve, 0);
    rb_define_method(class, "reserved?", connection_is_reserved, 0);
    rb_define_method(class, "release", connection_release, 0);
    rb_define_method(class, "begin_ending", connection_begin_ending, 0);
    rb_define_method(class, "finish_ending", connection_finish_ending, 0);
    rb_define_method(class, "deserted?", connection_get_deserted, 0);
    rb_define_method(class, "enter", connection_get_entered, 1);
    rb_define_method(class, "deactivate", connection_take_out, 1);
    rb_define_method(class, "head", connection_head, 0);
    rb_define_method(class, "settled?", connection_get_settled, 0);
    rb_define_method(class, "round_trip", connection_get_round_trip, 0);
    rb_define_method(class, "round_trip=", connection_set_round_trip, 1);
    rb_define_method(class, "idle_since", connection_idle_since, 0);
    rb_define_method(class, "unused_since", connection_unused_since, 0);
    rb_define_method(class, "check_sent", connection_check_sent, 0);
    rb_define_method(class, "active", connection_get_active, 0);
    rb_define_method(class, "inherited?", connection_is_inherited, 0);
}
