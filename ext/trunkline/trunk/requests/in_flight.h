/* The requests that the server has yet to answer on one connection. A codec's struct begins with an in_flight_t.
 *
 * The requests are in a FIFO. Beside it, each with one writer: the work that they are for the server (in_flight.c), the connection's round-trip time
 * (round_trip.h), and the connection's part in the account of idle and busy connections (occupancy.c). */
#ifndef TRUNKLINE_IN_FLIGHT_H
#define TRUNKLINE_IN_FLIGHT_H

#include <ruby.h>
#include <stdbool.h>
#include "fifo.h"
#include "occupancy.h"
#include "round_trip.h"

/* The server's work on this connection, as estimated from here. Only in_flight.c, and the two inline functions below, change it. */
typedef struct {
    double backlog;      /* seconds that the server is expected to need for all requests in flight */
    double head_since;   /* since when the server works on the head, the oldest request */
    double start_seen_after; /* seconds from sending the head to reading the server's report that it begins */
    double idle_since;   /* when the last request was answered */
    double unused_since; /* likewise, without this library's own liveness checks */
    uint64_t requests;   /* requests ever pushed */
    size_t longs;        /* long requests in flight */
    size_t unknown;      /* requests in flight whose service time is not known */
    bool alone;          /* the head was sent when nothing else was in flight: its time includes a round trip */
    bool started;        /* the server has said that it began with the head, at head_since */
    bool check_in_flight; /* the last request is a liveness check of this library, whose answer no caller reads */
} load_t;

typedef struct in_flight {
    fifo_t fifo;
    uint64_t appended; /* bytes of output that the codec has ever appended */
    load_t load;
    round_trip_t round_trip;
    occupant_t occupant;
} in_flight_t;

extern const rb_data_type_t in_flight_type; /* parent of codec_base_type */

/* Appends an entry, which is marked from here on. Raises NoMemoryError, with nothing changed. */
void in_flight_push(in_flight_t *in_flight, VALUE entry);

/* Removes and returns the head; there must be one. The server works on the next entry from `now` on. */
VALUE in_flight_shift(in_flight_t *in_flight, double now);

/* Removes the entry at this index, counted from the head. */
void in_flight_remove(in_flight_t *in_flight, size_t at);

/* Whether the request, which is about to be pushed, should make the server report its beginning, so that its measurement is
 * exact. Behind other requests that is not needed, as the server begins when these are answered. To be called once per request: of some statements
 * every eighth one is measured so. */
bool in_flight_wants_start_report(const in_flight_t *in_flight, const struct request *request);

/* The server has reported that it begins with the head. */
void in_flight_started(in_flight_t *in_flight, double now);

/* The connection was opened just now, and is idle. */
static inline void in_flight_connected(in_flight_t *in_flight, double now) { in_flight->load.idle_since = in_flight->load.unused_since = now; }

/* The request that was pushed last is a liveness check of this library. */
static inline void in_flight_note_check(in_flight_t *in_flight) { in_flight->load.check_in_flight = true; }

/* Estimated seconds until the server has answered all requests in flight. A head that takes longer than its estimate is expected to take as long
 * again as it has taken. */
double in_flight_expected(const in_flight_t *in_flight, double now);

/* Seconds that the head is expected to take; 0: that is not known, or nothing is in flight. */
double in_flight_head_cost(const in_flight_t *in_flight);

/* Seconds by which the head has exceeded its estimate; not positive while it has not, or when there is none. */
double in_flight_beyond_estimate(const in_flight_t *in_flight, double now);

/* No more answers will come: fails every request in flight, and pushes those whose waiters are owed a wake-up to the Array `woken`. Yields true for a
 * request of which bytes were sent, else false, and takes the failure from the block; `sent` is the number of bytes of all output that were sent. The
 * block may run Ruby of any kind. */
void in_flight_fail(in_flight_t *in_flight, uint64_t sent, VALUE woken);

/* Bytes were cut out of the output: reduces the offset of the requests from index `from` on by `size`. */
void in_flight_move_forward(const in_flight_t *in_flight, size_t from, size_t size);

/* Bytes of output of all requests in flight. */
uint64_t in_flight_bytes(const in_flight_t *in_flight);

/* For the garbage collector: what embedding types call from their own mark and free functions. */
void in_flight_mark(const in_flight_t *in_flight);
void in_flight_release(in_flight_t *in_flight);

#endif
