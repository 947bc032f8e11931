#include "backlog.h"

#include "../runtime/clock.h"
#include "../../common/classes.h"
#include "../../socket/bytes_class.h"
#include "../../socket/socket.h"

/* Seconds by which a short request exceeds its estimate before it is cancelled: a busy machine and the network cause delays, too. Half and double
 * change nothing on the traffic of bin/bench policy, where no caller abandons a query. */
#define CANCEL_AFTER 0.2

double connection_short_backlog(const connection_t *connection) { return SHORT_BACKLOG + connection_in_flight(connection)->round_trip.seconds; }

/* Bytes that were seen in the socket are there until they are read; but not those of an encrypted connection, which may hold no message. */
bool connection_has_answer(connection_t *connection) {
    uint64_t reads = bytes_transfers(connection_codec(connection)->input);
    bool seen = !connection_is_encrypted(connection) && connection->unread == reads;
    bool there = connection->descriptor >= 0 && (seen || socket_has_bytes(connection->descriptor));
    if (there) connection->unread = reads;
    return there;
}

bool connection_behind_estimate(connection_t *connection, double now, double seconds) {
    return in_flight_beyond_estimate(connection_in_flight(connection), now) > seconds && !connection_has_answer(connection);
}

/* By what was known when it was sent, or by what answers to the same statement have shown since. */
static bool may_take_long(const request_t *request) {
    const service_time_t *service = request->work.service;
    return request->work.is_long || !service || !service->is_known || service->is_long;
}

bool connection_head_blocks(connection_t *connection, double now) {
    const request_t *head = fifo_head_request(&connection_in_flight(connection)->fifo);
    if (!head) return false;
    return may_take_long(head) ? !connection_has_answer(connection) : connection_behind_estimate(connection, now, CANCEL_AFTER);
}

double connection_head_blocks_in(connection_t *connection, double now) {
    const request_t *head = fifo_head_request(&connection_in_flight(connection)->fifo);
    if (!head || may_take_long(head)) return 0;
    return fmax(CANCEL_AFTER - in_flight_beyond_estimate(connection_in_flight(connection), now), 0);
}

double connection_backlog(connection_t *connection, double now) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    double expected = in_flight_expected(in_flight, now);
    return expected > connection_short_backlog(connection) && in_flight->load.backlog < expected && connection_has_answer(connection) ? in_flight->load.backlog : expected;
}

/* call-seq: backlog -> Float
 *
 * Estimated seconds until the server has answered everything in flight. */
static VALUE connection_get_backlog(VALUE self) { return DBL2NUM(connection_backlog(connection_of(self), clock_now())); }

/* call-seq: behind_estimate? -> true or false
 *
 * Whether the head has exceeded its estimate by more than SHORT_BACKLOG. */
static VALUE connection_is_behind_estimate(VALUE self) { return RBOOL(connection_behind_estimate(connection_of(self), clock_now(), SHORT_BACKLOG)); }

void Init_trunkline_backlog(void) {
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "backlog", connection_get_backlog, 0);
    rb_define_method(class, "behind_estimate?", connection_is_behind_estimate, 0);
}
