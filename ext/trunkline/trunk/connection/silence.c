#include "silence.h"

#include <math.h>
#include <ruby.h>
#include "../runtime/clock.h"
#include "../runtime/deadline.h"
#include "../../common/classes.h"
#include "../../socket/bytes_class.h"

/* Multiples of the head's estimate that it may take before the server counts as silent, and is probed over a new connection. Of times that are
 * exponential one in 22,000 is longer (e^-10); one in 148 is with 5. With 20 a server that stops within a statement of a second is found after 20 s. */
#define SILENT_ESTIMATES 10

/* Since when the server has sent nothing while it owed an answer. */
static double since(const connection_t *connection) { return fmax(connection->silence.last_received, connection_in_flight(connection)->load.head_since); }

static double due(const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    if (isinf(connection->silence.after) || in_flight->fifo.count == 0 || connection->lost) return INFINITY;
    return fmax(since(connection) + fmax(connection->silence.after, SILENT_ESTIMATES * in_flight_head_cost(in_flight)), connection->silence.no_probe_before);
}

double silence_due(connection_t *connection) {
    if (isinf(connection->silence.after)) return INFINITY;
    uint64_t reads = bytes_transfers(connection_codec(connection)->input);
    if (reads != connection->silence.reads) {
        connection->silence.reads = reads;
        connection->silence.last_received = clock_now();
        connection->silence.no_probe_before = 0;
    }
    return due(connection);
}

bool silence_is_due(connection_t *connection) {
    return !isinf(connection->silence.after) && clock_now() >= silence_due(connection);
}

/* call-seq: probe_silence_after(seconds) -> connection
 *
 * Sets the seconds of silence after which the leader probes the server. */
static VALUE connection_probe_silence_after(VALUE self, VALUE seconds) {
    connection_of(self)->silence.after = NUM2DBL(seconds);
    return self;
}

/* call-seq: postpone_silence_probe(seconds) -> connection
 *
 * No probe is due for so many seconds. */
static VALUE connection_postpone_silence_probe(VALUE self, VALUE seconds) {
    connection_of(self)->silence.no_probe_before = clock_now() + NUM2DBL(seconds);
    return self;
}

/* call-seq: silent_for -> Float
 *
 * Seconds for which the server has owed an answer and sent nothing. */
static VALUE connection_silent_for(VALUE self) {
    const connection_t *connection = connection_of(self);
    return DBL2NUM(connection_in_flight(connection)->fifo.count == 0 ? 0 : clock_now() - since(connection));
}

/* call-seq: earliest_timeout -> Float or nil
 *
 * Before this time no waiter's time to wait is over; nil: none has a limit. */
static VALUE connection_get_earliest_timeout(VALUE self) { return deadline_value(connection_of(self)->earliest_timeout); }

void Init_trunkline_silence(void) {
    VALUE class = rb_const_get(mTrunkline, rb_intern("ConnectionState"));
    rb_define_method(class, "probe_silence_after", connection_probe_silence_after, 1);
    rb_define_method(class, "postpone_silence_probe", connection_postpone_silence_probe, 1);
    rb_define_method(class, "earliest_timeout", connection_get_earliest_timeout, 0);
    rb_define_method(class, "silent_for", connection_silent_for, 0);
}
