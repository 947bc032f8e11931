/* What a server has yet to answer on one connection. A codec's struct begins with one.
 *
 * The requests stand in a FIFO. Beside it, each with one writer: how much work they are for the server (in_flight.c), how far away the server is
 * (round_trip.h), and which of several connections this one is to those that choose among them (occupancy.c). */
#ifndef TRUNKLINE_IN_FLIGHT_H
#define TRUNKLINE_IN_FLIGHT_H

#include <ruby.h>
#include <stdbool.h>
#include "fifo.h"
#include "occupancy.h"
#include "round_trip.h"

/* What the server works on, as far as can be told. Only in_flight.c, and the two inline functions below, change it. */
typedef struct {
    double backlog;      /* seconds that the server is expected to need for all of them */
    double head_since;   /* when the oldest became the one that the server works on */
    double told_after;   /* seconds between the oldest one's being sent and the server's word that it begins */
    double idle_since;   /* when the last one was answered */
    double unused_since; /* likewise, but for the checks by this library */
    uint64_t requests;   /* ever pushed */
    size_t longs;        /* requests among them that are long ones */
    size_t unknown;      /* likewise, of which it is not known how long they take */
    bool alone;          /* the oldest one was sent when there was no other: its time holds a round trip */
    bool begun;          /* the server has said that it began with the oldest one, at head_since */
    bool check_in_flight; /* the last one is a check by this library, of which no caller reads the answer */
} load_t;

typedef struct in_flight {
    fifo_t fifo;
    uint64_t appended; /* bytes ever written for them and for those before, as the codec counts them */
    load_t load;
    round_trip_t round_trip;
    occupant_t occupant;
} in_flight_t;

extern const rb_data_type_t in_flight_type; /* what every codec is */

/* Appends an entry, which is marked from here on. Without memory it raises NoMemoryError, and nothing has changed. */
void in_flight_push(in_flight_t *in_flight, VALUE entry);

/* Takes the oldest one out; there must be one. The next one is the server's work from `now` on. */
VALUE in_flight_shift(in_flight_t *in_flight, double now);

/* Takes out the one that is there, counted from the oldest. */
void in_flight_remove(in_flight_t *in_flight, size_t at);

/* Whether the server should say when it begins with the request, which is about to be pushed, so that its measurement is sure. Behind others it
 * begins when these are through. To be asked once: of some kinds one request in so many should. */
bool in_flight_wants_beginning(const in_flight_t *in_flight, const struct request *request);

/* The server says that it begins with the oldest one. */
void in_flight_begin(in_flight_t *in_flight, double now);

/* The connection has just been made, and is idle. */
static inline void in_flight_connected(in_flight_t *in_flight, double now) { in_flight->load.idle_since = in_flight->load.unused_since = now; }

/* The last one pushed is a check by this library. */
static inline void in_flight_note_check(in_flight_t *in_flight) { in_flight->load.check_in_flight = true; }

/* Seconds until the server will be through, as far as can be told. A head that takes longer than was expected of it is
 * expected to take as long again as it has taken. */
double in_flight_expected(const in_flight_t *in_flight, double now);

/* Seconds that the oldest one is expected to take; there must be one. 0: it is not known. */
double in_flight_head_cost(const in_flight_t *in_flight);

/* Seconds by which the oldest one takes longer than was expected of it; not positive when it does not, or there is none. */
double in_flight_beyond_estimate(const in_flight_t *in_flight, double now);

/* No more answers will come: every request is done, and those whose waiters are owed a wake-up are pushed to the Array
 * `woken`. The block tells the failure of one of which bytes were sent, or none; `sent` is how many of all bytes were. */
void in_flight_fail(in_flight_t *in_flight, uint64_t sent, VALUE woken);

/* Those from there on have so many bytes less before them. */
void in_flight_move_forward(const in_flight_t *in_flight, size_t from, size_t size);

/* Bytes that were written for all of them. */
uint64_t in_flight_bytes(const in_flight_t *in_flight);

/* For the garbage collector: what embedding types call from their own mark and free functions. */
void in_flight_mark(const in_flight_t *in_flight);
void in_flight_release(in_flight_t *in_flight);

#endif
