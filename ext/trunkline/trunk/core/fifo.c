#include "fifo.h"

#include <math.h>
#include "clock.h"
#include "occupancy.h"
#include "request.h"
#include "../../common/classes.h"

/* A power of two, as are all that follow. With 8 or 512, 1000 futures take the same processor time: see WRITE_AT in connection_loop.c. */
#define FIRST_CAPACITY 64

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

static request_t *head_of(const fifo_t *fifo) { return fifo_request(fifo_head(fifo)); }

static double cost_of(const request_t *request) { return request ? request->work.cost : 0; }

/* The dispatcher looked at the clock when it chose this trunk for a request that shares. */
static double time_of_push(const fifo_t *fifo, const request_t *request) {
    if (fifo->count == 1) return fifo->head_since;
    return request->pinned ? clock_now() : clock_latest();
}

/* What is expected of it now, and what it counts as until it is answered. */
static void estimate(request_t *request) {
    if (!request->work.service) return;
    request->work.cost = request->work.service->mean;
    request->work.is_long = request->work.service->is_long;
    request->work.is_unknown = !request->work.service->is_known;
    request->work.service->long_count += request->work.is_long;
}

static void count_in(fifo_t *fifo, request_t *request) {
    estimate(request);
    request->work.pushed = time_of_push(fifo, request);
    fifo->requests++;
    fifo->backlog += request->work.cost;
    fifo->unknown += request->work.is_unknown;
    if (request->work.is_unknown) request->work.service->awaited++;
    if (!request->work.is_long) return;
    if (fifo->longs++ == 0) occupancy_note_long(fifo, true);
    request->work.beside = occupancy_count_longs(fifo);
}

static void count_out(fifo_t *fifo, const request_t *request) {
    fifo->backlog -= request->work.cost;
    fifo->unknown -= request->work.is_unknown;
    if (request->work.is_unknown) request->work.service->awaited--;
    if (request->work.is_long && --fifo->longs == 0) occupancy_note_long(fifo, false);
}

void fifo_push(fifo_t *fifo, VALUE object) {
    if (fifo->count == fifo->capacity) grow(fifo);
    if (fifo->count == 0) {
        fifo->backlog = 0; /* and with it what rounding has left */
        fifo->head_since = clock_now();
        fifo->alone = true;
        occupancy_note_busy(fifo);
    }
    fifo->ring[(fifo->first + fifo->count) & (fifo->capacity - 1)] = object;
    fifo->count++;
    fifo->questioned = false;
    request_t *request = fifo_request(object);
    if (request) count_in(fifo, request);
}

static void become_idle(fifo_t *fifo, double now) {
    fifo->idle_since = now;
    if (!fifo->questioned) fifo->unused_since = now;
    occupancy_note_idle(fifo);
}

VALUE fifo_shift(fifo_t *fifo, double now) {
    VALUE object = fifo->ring[fifo->first];
    request_t *request = fifo_request(object);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    if (request) count_out(fifo, request);
    fifo->head_since = now;
    fifo->told_after = 0;
    fifo->alone = fifo->begun = false;
    if (--fifo->count == 0) become_idle(fifo, now);
    return object;
}

void fifo_begin(fifo_t *fifo, double now) {
    if (fifo->alone) fifo->told_after = now - fifo->head_since;
    fifo->head_since = now;
    fifo->begun = true;
}

/* Seconds for which the server has worked on the oldest one. */
static double worked(const fifo_t *fifo, double now) {
    return now - fifo->head_since - (fifo->begun ? 0 : fifo->round_trip);
}

double fifo_head_cost(const fifo_t *fifo) {
    const request_t *head = head_of(fifo);
    return head && !head->work.is_unknown ? head->work.cost : 0;
}

double fifo_beyond_estimate(const fifo_t *fifo, double now) {
    return fifo->count == 0 ? 0 : worked(fifo, now) - cost_of(head_of(fifo));
}

double fifo_expected(const fifo_t *fifo, double now) {
    return fifo->count == 0 ? 0 : fifo->backlog + fmax(fifo_beyond_estimate(fifo, now), 0);
}

void fifo_fail(fifo_t *fifo, uint64_t sent, VALUE woken) {
    while (fifo->count > 0) {
        VALUE object = fifo_shift(fifo, 0);
        if (NIL_P(object)) continue;
        request_t *request = request_of(object);
        if (request->done) continue; /* abandoned */
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
    const request_t *request = fifo_request(fifo_at(fifo, at));
    if (request) count_out(fifo, request);
    for (; at + 1 < fifo->count; at++) fifo->ring[(fifo->first + at) & (fifo->capacity - 1)] = fifo_at(fifo, at + 1);
    if (--fifo->count == 0) become_idle(fifo, clock_now());
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
    rb_gc_mark(fifo->dispatcher);
}

void fifo_release(fifo_t *fifo) { ruby_xfree(fifo->ring); }
