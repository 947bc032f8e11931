#include "fifo.h"

/* A power of two, as all larger capacities are. With 8 or 512, 1000 futures take the same processor time: see WRITE_AT in connection_loop.c. So memory
 * decides: 512 bytes a connection. */
#define FIRST_CAPACITY 64

static void grow(fifo_t *fifo) {
    size_t capacity = fifo->capacity ? fifo->capacity * 2 : FIRST_CAPACITY;
    VALUE *ring = ALLOC_N(VALUE, capacity);
    for (size_t at = 0; at < fifo->count; at++) ring[at] = fifo_at(fifo, at);
    ruby_xfree(fifo->ring);
    fifo->ring = ring;
    fifo->capacity = capacity;
    fifo->first = 0;
}

void fifo_push(fifo_t *fifo, VALUE entry) {
    if (fifo->count == fifo->capacity) grow(fifo);
    fifo->ring[(fifo->first + fifo->count++) & (fifo->capacity - 1)] = entry;
}

VALUE fifo_shift(fifo_t *fifo) {
    VALUE entry = fifo->ring[fifo->first];
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return entry;
}

size_t fifo_find(const fifo_t *fifo, VALUE entry) {
    size_t at = 0;
    while (at < fifo->count && fifo_at(fifo, at) != entry) at++;
    return at;
}

void fifo_remove(fifo_t *fifo, size_t at) {
    for (; at + 1 < fifo->count; at++) fifo->ring[(fifo->first + at) & (fifo->capacity - 1)] = fifo_at(fifo, at + 1);
    fifo->count--;
}

void fifo_mark(const fifo_t *fifo) {
    for (size_t at = 0; at < fifo->count; at++) rb_gc_mark(fifo_at(fifo, at));
}

void fifo_release(fifo_t *fifo) { ruby_xfree(fifo->ring); }
