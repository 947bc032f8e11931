#include "connection_state.h"

#include <math.h>
#include "clock.h"
#include "ended_scheduler.h"
#include "../../socket/tls_session.h"
#include "../../common/classes.h"

static VALUE connection_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(connection_allocate(class), argc, argv); }

/* call-seq: ConnectionState.new(codec, descriptor = nil)
 *
 * descriptor: the number of the one that the codec's bytes come from. */
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

/* call-seq: equip(wire, io, tls, crowded, woken) -> connection
 *
 * What its callers drive the trunk with. io: where C reads and writes what the wire would, or nil. tls: the TLSSession through which it does, or
 * nil. crowded: the Flag that is on while callers wait for a trunk of the pool. */
static VALUE connection_equip(VALUE self, VALUE wire, VALUE io, VALUE tls, VALUE crowded, VALUE woken) {
    connection_t *connection = connection_of(self);
    Check_Type(woken, T_ARRAY);
    if (!NIL_P(io)) Check_Type(io, T_FILE);
    if (!NIL_P(tls)) tls_session_check(tls);
    connection->crowded = flag_checked(crowded);
    connection->crowded_flag = crowded;
    connection->wire = wire;
    connection->io = io;
    connection->tls = tls;
    connection->woken = woken;
    return self;
}

/* call-seq: lose -> connection
 *
 * The connection has ended: the caller has what is in flight fail. */
static VALUE connection_lose(VALUE self) {
    connection_of(self)->lost = true;
    return self;
}

/* call-seq: unplug -> connection
 *
 * The descriptor is closed: the system may give its number to another file. */
static VALUE connection_unplug(VALUE self) {
    connection_of(self)->descriptor = -1;
    return self;
}

/* call-seq: bound(requests, bytes, expiry) -> connection
 *
 * The trunk has room while it has fewer requests and bytes than these in flight, and is expired when the expiry, on the clock of Waiting.now,
 * has come. An earlier expiry that it has stays. */
static VALUE connection_bound(VALUE self, VALUE requests, VALUE bytes, VALUE expiry) {
    connection_t *connection = connection_of(self);
    connection->most_requests = NUM2SIZET(requests);
    connection->most_bytes = NUM2ULL(bytes);
    connection->expiry = fmin(connection->expiry, NUM2DBL(expiry));
    return self;
}

/* call-seq: room? -> true or false */
static VALUE connection_room(VALUE self) { return RBOOL(connection_has_room(connection_of(self))); }

/* call-seq: expire -> connection
 *
 * It is expired from now on. */
static VALUE connection_expire(VALUE self) {
    connection_of(self)->expiry = 0;
    return self;
}

/* call-seq: expired? -> true or false */
static VALUE connection_is_expired(VALUE self) { return RBOOL(connection_is_old(connection_of(self), clock_now())); }

/* call-seq: admits?(scheduler) -> true or false
 *
 * Returns whether a waiter of this scheduler (nil: a plain thread) that shares the connection may become active now. */
static VALUE connection_may_come(VALUE self, VALUE scheduler) {
    connection_t *connection = connection_of(self);
    connection_forget_other_dropped(connection, scheduler);
    return RBOOL(connection_takes(connection, scheduler, false));
}

/* call-seq: round_trip -> Float or nil
 *
 * Seconds; the shortest seen. Nil: none has been seen yet. */
static VALUE connection_get_round_trip(VALUE self) {
    double seconds = connection_in_flight(connection_of(self))->round_trip.seconds;
    return seconds == 0 ? Qnil : DBL2NUM(seconds);
}

/* call-seq: round_trip = Float
 *
 * It is known to be no longer than that. */
static VALUE connection_set_round_trip(VALUE self, VALUE seconds) {
    round_trip_bound(&connection_in_flight(connection_of(self))->round_trip, NUM2DBL(seconds));
    return seconds;
}

/* call-seq: idle_since -> Float
 *
 * When the last request was answered, on the clock of Waiting.now; or the connection was made, where there was none. */
static VALUE connection_idle_since(VALUE self) { return DBL2NUM(connection_in_flight(connection_of(self))->load.idle_since); }

/* call-seq: unused_since -> Float
 *
 * Likewise, but for the checks by this library. */
static VALUE connection_unused_since(VALUE self) { return DBL2NUM(connection_in_flight(connection_of(self))->load.unused_since); }

/* call-seq: check_sent -> connection
 *
 * What was sent last is a check by this library, of which no caller reads the answer: the next caller does, before it sends anything. */
static VALUE connection_check_sent(VALUE self) {
    in_flight_note_check(connection_in_flight(connection_of(self)));
    return self;
}

/* call-seq: reserve -> true or false
 *
 * Keeps the trunk for pinned requests from now on. False: it is not deserted, or reserved already, or shut. */
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
 * Callers of every scheduler, and threads, may become active again. */
static VALUE connection_release(VALUE self) {
    connection_of(self)->reserved = connection_of(self)->dropped = false;
    return self;
}

/* call-seq: begin_ending -> connection
 *
 * A caller ends a request of its own: until it says finish_ending, no caller gets the trunk for its own. */
static VALUE connection_begin_ending(VALUE self) {
    connection_of(self)->endings++;
    return self;
}

/* call-seq: finish_ending -> true or false
 *
 * Returns whether the trunk is deserted now. */
static VALUE connection_finish_ending(VALUE self) {
    if (connection_of(self)->endings > 0) connection_of(self)->endings--; /* none is left where others were forgotten */
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
 * Returns whether the request's waiter is active from now on; false: the trunk is busy for callers of another scheduler, or shut. */
static VALUE connection_get_entered(VALUE self, VALUE request) {
    request_checked(request);
    return RBOOL(connection_enter(connection_of(self), request));
}

/* call-seq: deactivate(request) -> connection
 *
 * The request's waiter, which another caller has entered for it, is active no more, and does not know it. */
static VALUE connection_take_out(VALUE self, VALUE request) {
    connection_deactivate(connection_of(self), request_checked(request));
    return self;
}

/* call-seq: head -> Request or nil
 *
 * What the server works on now. */
static VALUE connection_head(VALUE self) {
    VALUE head = fifo_head(&connection_in_flight(connection_of(self))->fifo);
    return head == Qundef ? Qnil : head;
}

/* call-seq: settled? -> true or false
 *
 * Returns whether nothing is in flight whose answer a caller may still ask for. */
static VALUE connection_is_settled(VALUE self) {
    const in_flight_t *in_flight = connection_in_flight(connection_of(self));
    for (size_t at = 0; at < in_flight->fifo.count; at++) {
        VALUE request = fifo_at(&in_flight->fifo, at);
        if (!NIL_P(request) && !request_of(request)->done) return Qfalse;
    }
    return Qtrue;
}

/* call-seq: active -> Integer */
static VALUE connection_get_active(VALUE self) { return SIZET2NUM(connection_of(self)->active); }

/* call-seq: inherited? -> true or false
 *
 * Returns whether a parent process made this. */
static VALUE connection_is_inherited(VALUE self) { return RBOOL(connection_of(self)->generation != process_generation); }

void Init_trunkline_connection_state(void) {
    VALUE class = rb_define_class_under(mTrunkline, "ConnectionState", rb_cObject);
    trunkline_define_new(class, connection_new);
    rb_define_method(class, "initialize", connection_initialize, -1);
    rb_define_method(class, "equip", connection_equip, 5);
    rb_define_method(class, "lose", connection_lose, 0);
    rb_define_method(class, "unplug", connection_unplug, 0);
    rb_define_method(class, "bound", connection_bound, 3);
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
    rb_define_method(class, "settled?", connection_is_settled, 0);
    rb_define_method(class, "round_trip", connection_get_round_trip, 0);
    rb_define_method(class, "round_trip=", connection_set_round_trip, 1);
    rb_define_method(class, "idle_since", connection_idle_since, 0);
    rb_define_method(class, "unused_since", connection_unused_since, 0);
    rb_define_method(class, "check_sent", connection_check_sent, 0);
    rb_define_method(class, "active", connection_get_active, 0);
    rb_define_method(class, "inherited?", connection_is_inherited, 0);
}
