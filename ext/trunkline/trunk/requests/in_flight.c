#include "in_flight.h"

#include <math.h>
#include "../runtime/clock.h"
#include "request.h"
#include "../../common/classes.h"

/* Only the parent of codecs' types: no object of this type itself is allocated. */
const rb_data_type_t in_flight_type = {.wrap_struct_name = "Trunkline::InFlight"};

static request_t *head_of(const in_flight_t *in_flight) { return fifo_request(fifo_head(&in_flight->fifo)); }

static double cost_of(const request_t *request) { return request ? request->work.cost : 0; }

/* The dispatcher read the clock when it chose this connection for a shared request. */
static double time_of_push(const in_flight_t *in_flight, const request_t *request) {
    if (in_flight->fifo.count == 1) return in_flight->load.head_since;
    return request->pinned ? clock_now() : clock_latest();
}

/* Sets its estimate, and what it counts as until it is answered. */
static void estimate(request_t *request) {
    if (!request->work.service) return;
    request->work.cost = request->work.service->mean;
    request->work.is_long = request->work.service->is_long;
    request->work.is_unknown = !request->work.service->is_known;
    request->work.service->long_count += request->work.is_long;
}

static void count_in(in_flight_t *in_flight, request_t *request) {
    load_t *load = &in_flight->load;
    estimate(request);
    request->work.pushed = time_of_push(in_flight, request);
    load->requests++;
    load->backlog += request->work.cost;
    load->unknown += request->work.is_unknown;
    if (request->work.is_unknown) request->work.service->unknown_in_flight++;
    if (!request->work.is_long) return;
    if (load->longs++ == 0) occupancy_note_long(&in_flight->occupant, true);
    request->work.longs_at_send = occupancy_count_longs(&in_flight->occupant);
}

static void count_out(in_flight_t *in_flight, const request_t *request) {
    load_t *load = &in_flight->load;
    load->backlog -= request->work.cost;
    load->unknown -= request->work.is_unknown;
    if (request->work.is_unknown) request->work.service->unknown_in_flight--;
    if (request->work.is_long && --load->longs == 0) occupancy_note_long(&in_flight->occupant, false);
}

static void become_busy(in_flight_t *in_flight) {
    load_t *load = &in_flight->load;
    load->backlog = 0; /* also removes rounding errors */
    load->head_since = clock_now();
    load->alone = true;
    occupancy_note_busy(&in_flight->occupant);
}

static void become_idle(in_flight_t *in_flight, double now) {
    load_t *load = &in_flight->load;
    load->idle_since = now;
    if (!load->check_in_flight) load->unused_since = now;
    occupancy_note_idle(&in_flight->occupant);
}

void in_flight_push(in_flight_t *in_flight, VALUE entry) {
    fifo_push(&in_flight->fifo, entry);
    if (in_flight->fifo.count == 1) become_busy(in_flight);
    in_flight->load.check_in_flight = false;
    request_t *request = fifo_request(entry);
    if (request) count_in(in_flight, request);
}

VALUE in_flight_shift(in_flight_t *in_flight, double now) {
    VALUE entry = fifo_shift(&in_flight->fifo);
    request_t *request = fifo_request(entry);
    load_t *load = &in_flight->load;
    if (request) count_out(in_flight, request);
    load->head_since = now;
    load->start_seen_after = 0;
    load->alone = load->started = false;
    if (in_flight->fifo.count == 0) become_idle(in_flight, now);
    return entry;
}

void in_flight_remove(in_flight_t *in_flight, size_t at) {
    const request_t *request = fifo_request(fifo_at(&in_flight->fifo, at));
    if (request) count_out(in_flight, request);
    fifo_remove(&in_flight->fifo, at);
    if (in_flight->fifo.count == 0) become_idle(in_flight, clock_now());
}

bool in_flight_wants_start_report(const in_flight_t *in_flight, const request_t *request) {
    service_time_t *service = request->work.service;
    return in_flight->fifo.count == 0 && service && (service_time_wants_start_report(service) || (service->is_long && request->work.measure_exactly));
}

void in_flight_started(in_flight_t *in_flight, double now) {
    load_t *load = &in_flight->load;
    if (load->alone) load->start_seen_after = now - load->head_since;
    load->head_since = now;
    load->started = true;
}

/* Seconds for which the server has worked on the oldest one. */
static double worked(const in_flight_t *in_flight, double now) {
    return now - in_flight->load.head_since - (in_flight->load.started ? 0 : in_flight->round_trip.seconds);
}

double in_flight_head_cost(const in_flight_t *in_flight) {
    const request_t *head = head_of(in_flight);
    return head && !head->work.is_unknown ? head->work.cost : 0;
}

double in_flight_beyond_estimate(const in_flight_t *in_flight, double now) {
    return in_flight->fifo.count == 0 ? 0 : worked(in_flight, now) - cost_of(head_of(in_flight));
}

double in_flight_expected(const in_flight_t *in_flight, double now) {
    return in_flight->fifo.count == 0 ? 0 : in_flight->load.backlog + fmax(in_flight_beyond_estimate(in_flight, now), 0);
}

void in_flight_fail(in_flight_t *in_flight, uint64_t sent, VALUE woken) {
    while (in_flight->fifo.count > 0) {
        VALUE entry = in_flight_shift(in_flight, 0);
        if (NIL_P(entry)) continue;
        request_t *request = request_of(entry);
        if (request->done) continue; /* abandoned before */
        request->failure = rb_yield(RBOOL(request->offset < sent));
        if (request_finish(request)) rb_ary_push(woken, entry);
    }
}

void in_flight_move_forward(const in_flight_t *in_flight, size_t from, size_t size) {
    const fifo_t *fifo = &in_flight->fifo;
    for (size_t at = from; at < fifo->count; at++) {
        if (!NIL_P(fifo_at(fifo, at))) request_of(fifo_at(fifo, at))->offset -= size;
    }
}

/* The codec's own messages before the oldest request are answered before it, and short. */
uint64_t in_flight_bytes(const in_flight_t *in_flight) {
    const fifo_t *fifo = &in_flight->fifo;
    for (size_t at = 0; at < fifo->count; at++) {
        if (!NIL_P(fifo_at(fifo, at))) return in_flight->appended - request_of(fifo_at(fifo, at))->offset;
    }
    return 0;
}

void in_flight_mark(const in_flight_t *in_flight) {
    fifo_mark(&in_flight->fifo);
    rb_gc_mark(in_flight->occupant.owner);
}

void in_flight_release(in_flight_t *in_flight) { fifo_release(&in_flight->fifo); }
