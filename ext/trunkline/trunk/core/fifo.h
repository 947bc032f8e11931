/* A queue of requests, first in, first out: a ring that grows. It knows nothing of what the entries are for. */
#ifndef TRUNKLINE_FIFO_H
#define TRUNKLINE_FIFO_H

#include <ruby.h>

struct request;

/* Embedded in what owns it, and all zero at first. Its owner calls fifo_mark and fifo_release. */
typedef struct {
    VALUE *ring; /* an entry is a request, or nil for a unit of the codec's own */
    size_t first, count, capacity;
} fifo_t;

/* Appends an entry, which is marked from here on. Without memory it raises NoMemoryError, and nothing has changed. */
void fifo_push(fifo_t *fifo, VALUE entry);

/* Takes the oldest one out; there must be one. */
VALUE fifo_shift(fifo_t *fifo);

/* Where the entry is, counted from the oldest, or the count of all. */
size_t fifo_find(const fifo_t *fifo, VALUE entry);

/* Takes out the one that is there. */
void fifo_remove(fifo_t *fifo, size_t at);

/* For the garbage collector. */
void fifo_mark(const fifo_t *fifo);
void fifo_release(fifo_t *fifo);

/* The entry at this index, counted from the oldest; there must be one. */
static inline VALUE fifo_at(const fifo_t *fifo, size_t at) { return fifo->ring[(fifo->first + at) & (fifo->capacity - 1)]; }

/* An entry's request; NULL for a unit of the codec's own. */
static inline struct request *fifo_request(VALUE entry) { return NIL_P(entry) ? NULL : RTYPEDDATA_DATA(entry); }

/* The oldest one; Qundef when there is none. */
static inline VALUE fifo_head(const fifo_t *fifo) { return fifo->count ? fifo->ring[fifo->first] : Qundef; }

#endif
