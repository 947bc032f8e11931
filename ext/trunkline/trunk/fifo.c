#include "fifo.h"

#include <time.h>
#include "request.h"
#include "../trunkline.h"

#define FIRST_CAPACITY 64 /* a power of two, as are all that follow */

/* No type on its own is ever allocated: only codecs are. */
const rb_data_type_t fifo_type = {.wrap_struct_name = "Trunkline::Fifo"};

static void grow(fifo_t *fifo) {
    size_t capacity = fifo->capacity ? fifo->capacity * 2 : FIRST_CAPACITY;
    VALUE *ring = ALLOC_N(VALUE, capacity);
    for (size_t at = 0; at < fifo->count; at++) ring[at] = fifo_at(fifo, at);
    ruby_xfree(fifo->ring);
    fifo->ring = ring;
    fifo->capacity = capacity;
    fifo->first = 0;
}

static double latest; /* what the clock said when it was last looked at */

double fifo_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return latest = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Units of the codec's own cost nothing worth counting. */
static double cost_of(VALUE request) { return NIL_P(request) ? 0 : ((request_t *)RTYPEDDATA_DATA(request))->cost; }

/* Whoever has chosen this trunk for a request that shares has just looked at the clock. */
static double time_of_push(const fifo_t *fifo, const request_t *request) {
    if (fifo->count == 1) return fifo->head_since;
    return request->pinned ? fifo_now() : latest;
}

void fifo_push(fifo_t *fifo, VALUE request) {
    if (fifo->count == fifo->capacity) grow(fifo);
    if (fifo->count == 0) {
        fifo->backlog = 0; /* and with it what rounding has left */
        fifo->head_since = fifo_now();
    }
    fifo->ring[(fifo->first + fifo->count) & (fifo->capacity - 1)] = request;
    fifo->count++;
    if (NIL_P(request)) return;
    request_t *pushed = RTYPEDDATA_DATA(request);
    pushed->pushed = time_of_push(fifo, pushed);
    fifo->requests++;
    fifo->backlog += pushed->cost;
}

VALUE fifo_shift(fifo_t *fifo, double now) {
    VALUE request = fifo->ring[fifo->first];
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    fifo->backlog -= cost_of(request);
    fifo->head_since = now;
    return request;
}

double fifo_expected(const fifo_t *fifo, double now) {
    if (fifo->count == 0) return 0;
    double taken = now - fifo->head_since, cost = cost_of(fifo_head(fifo));
    return taken > cost ? fifo->backlog - cost + taken : fifo->backlog;
}

void fifo_fail(fifo_t *fifo, uint64_t sent, VALUE woken) {
    while (fifo->count > 0) {
        VALUE object = fifo_shift(fifo, 0);
        if (NIL_P(object)) continue;
        request_t *request = request_of(object);
        if (request->done) continue; /* given up */
        request->failure = rb_yield(RBOOL(request->offset < sent));
        if (request_finish(request)) rb_ary_push(woken, object);
    }
}

size_t fifo_find(const fifo_t *fifo, VALUE request) {
    size_t at = 0;
    while (at < fifo->count && fifo_at(fifo, at) != request) at++;
    return at;
}

void fifo_remove(fifo_t *fifo, size_t at) {
    fifo->backlog -= cost_of(fifo_at(fifo, at));
    for (; at + 1 < fifo->count; at++) fifo->ring[(fifo->first + at) & (fifo->capacity - 1)] = fifo_at(fifo, at + 1);
    fifo->count--;
}

void fifo_move_forward(const fifo_t *fifo, size_t from, size_t size) {
    for (size_t at = from; at < fifo->count; at++) {
        if (!NIL_P(fifo_at(fifo, at))) request_of(fifo_at(fifo, at))->offset -= size;
    }
}

/* Those that the codec has put before the oldest request are answered before it, and few. */
uint64_t fifo_bytes(const fifo_t *fifo) {
    for (size_t at = 0; at < fifo->count; at++) {
        VALUE request = fifo_at(fifo, at);
        if (!NIL_P(request)) return fifo->appended - ((request_t *)RTYPEDDATA_DATA(request))->offset;
    }
    return 0;
}

void fifo_mark(const fifo_t *fifo) {
    for (size_t at = 0; at < fifo->count; at++) rb_gc_mark(fifo_at(fifo, at));
}

void fifo_release(fifo_t *fifo) { ruby_xfree(fifo->ring); }
