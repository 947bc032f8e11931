/* The requests that a server has yet to answer, in order. A codec's struct begins with one. */
#ifndef TRUNKLINE_FIFO_H
#define TRUNKLINE_FIFO_H

#include <ruby.h>
#include <stdbool.h>

typedef struct fifo {
    VALUE *ring; /* an entry is a request, or nil for a unit of the codec's own */
    size_t first, count, capacity;
    double backlog;    /* seconds that the server is expected to need for all of them */
    double head_since; /* when the oldest became the one that the server works on */
    uint64_t appended; /* bytes ever written for them and for those before */
    uint64_t requests; /* ever pushed */
    double round_trip; /* seconds; the shortest between a server that had nothing to do and this client; 0: none yet */
    unsigned trips;    /* how many were looked at for it; before the first one it is but the time that connecting took */
    double told_after; /* seconds between the oldest one's being sent and the server's word that it begins */
    double idle_since; /* when the last one was answered */
    double unused_since; /* likewise, but for the questions of this library */
    bool questioned;   /* the last one is a question of this library, of which no caller reads the answer */
    size_t longs;      /* requests among them that are long ones */
    size_t unknown;    /* likewise, of which it is not known how long they take */
    bool alone;        /* the oldest one was sent when there was no other: its time holds a round trip */
    bool begun;        /* the server has said that it began with the oldest one, at head_since */
    const struct request *kept; /* the idle trunk is kept for that one, whose waiter is active and on its way; or NULL */
    VALUE dispatcher;  /* owns the next; false: there is none */
    struct occupancy *occupancy; /* of the connections among which this one's is chosen, or NULL: see occupancy.h, which sets both */
    size_t index;      /* of the trunk among those of that dispatcher */
    struct fifo *older; /* neighbours among the idle ones of that dispatcher; none when busy */
    struct fifo *newer;
} fifo_t;

extern const rb_data_type_t fifo_type; /* what every codec is */

/* Appends an entry, which is marked from here on. Without memory it raises NoMemoryError, and nothing has changed. */
void fifo_push(fifo_t *fifo, VALUE request);

/* Takes the oldest one out; there must be one. The next one is the server's work from `now` on. */
VALUE fifo_shift(fifo_t *fifo, double now);

/* The server says that it begins with the oldest one. */
void fifo_begin(fifo_t *fifo, double now);

/* Seconds until the server will be through, as far as can be told. A head that takes longer than was expected of it is
 * expected to take as long again as it has taken. */
double fifo_expected(const fifo_t *fifo, double now);

/* Seconds that the oldest one is expected to take; there must be one. 0: it is not known. */
double fifo_head_cost(const fifo_t *fifo);

/* Seconds by which the oldest one takes longer than was expected of it; not positive when it does not, or there is none. */
double fifo_beyond_estimate(const fifo_t *fifo, double now);

/* No more answers will come: every request is done, and those whose waiters are owed a wake-up are pushed to the Array
 * `woken`. The block tells the failure of one of which bytes were sent, or none; `sent` is how many of all bytes were. */
void fifo_fail(fifo_t *fifo, uint64_t sent, VALUE woken);

/* Where the request is among those in flight, or their count. */
size_t fifo_find(const fifo_t *fifo, VALUE request);

/* Takes out the one that is there. */
void fifo_remove(fifo_t *fifo, size_t at);

/* Those from there on have so many bytes less before them. */
void fifo_move_forward(const fifo_t *fifo, size_t from, size_t size);

/* Bytes that were written for all of them. */
uint64_t fifo_bytes(const fifo_t *fifo);

/* For the garbage collector: what embedding types call from their own mark and free functions. */
void fifo_mark(const fifo_t *fifo);
void fifo_release(fifo_t *fifo);

/* The entry at this place, counted from the oldest; there must be one. */
static inline VALUE fifo_at(const fifo_t *fifo, size_t at) { return fifo->ring[(fifo->first + at) & (fifo->capacity - 1)]; }

/* An entry's request; NULL for a unit of the codec's own. */
static inline struct request *fifo_request(VALUE entry) { return NIL_P(entry) ? NULL : RTYPEDDATA_DATA(entry); }

/* The oldest one; Qundef when there is none. */
static inline VALUE fifo_head(const fifo_t *fifo) { return fifo->count ? fifo->ring[fifo->first] : Qundef; }

#endif
