/* A FIFO of entries in a ring buffer that grows. It does not depend on what the entries are. */
#ifndef TRUNKLINE_FIFO_H
#define TRUNKLINE_FIFO_H

#include <ruby.h>

struct request;

/* Embedded in its owner, which calls fifo_mark and fifo_release. Initialised with zeroes. */
typedef struct {
    VALUE *ring; /* an entry is a request, or nil for messages that the codec sends on its own account */
    size_t first, count, capacity;
} fifo_t;

/* Appends an entry, which is marked from here on. Raises NoMemoryError, with nothing changed. */
void fifo_push(fifo_t *fifo, VALUE entry);

/* Removes and returns the oldest entry; there must be one. */
VALUE fifo_shift(fifo_t *fifo);

/* The entry's index, counted from the oldest; the count of all entries when it is not among them. */
size_t fifo_find(const fifo_t *fifo, VALUE entry);

/* Removes the entry at this index. */
void fifo_remove(fifo_t *fifo, size_t at);

/* For the garbage collector. */
void fifo_mark(const fifo_t *fifo);
void fifo_release(fifo_t *fifo);

/* The entry at this index, counted from the oldest; there must be one. */
static inline VALUE fifo_at(const fifo_t *fifo, size_t at) { return fifo->ring[(fifo->first + at) & (fifo->capacity - 1)]; }

/* An entry's request; NULL for one of the codec's own. */
static inline struct request *fifo_request(VALUE entry) { return NIL_P(entry) ? NULL : RTYPEDDATA_DATA(entry); }

/* The oldest entry; Qundef when there is none. */
static inline VALUE fifo_head(const fifo_t *fifo) { return fifo->count ? fifo->ring[fifo->first] : Qundef; }

/* Its request; NULL when there is none, or it is one of the codec's own. */
static inline struct request *fifo_head_request(const fifo_t *fifo) { return fifo->count ? fifo_request(fifo->ring[fifo->first]) : NULL; }

#endif
