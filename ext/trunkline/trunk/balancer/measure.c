#include "measure.h"

#include <math.h>
#include "dispatcher.h"
#include "../requests/request.h"

#define LEAST_TAKEN 1e-9 /* seconds, a bound: an answer that took no longer than the round trip is measured, too, and 0 means that it was not */

/* Seconds of an answer's time that were certainly the round trip's. */
static double known_round_trip(const in_flight_t *in_flight) { return round_trip_is_known(&in_flight->round_trip) ? in_flight->round_trip.seconds : 0; }

/* Whether the time of a request that was alone in flight may count as a round trip: that of a long request would be far above it. */
static bool shows_round_trip(const request_t *request, double seconds) {
    if (!request || seconds < SHORT_AGAIN) return true;
    const service_time_t *service = request->work.service;
    return service && service->times.count > 0 && !service->doubtful && service->mean < SHORT_AGAIN;
}

/* The server's report that it begins shows the round trip, except where it was read together with the answer of a request that takes a
 * while. */
static void note_round_trip(in_flight_t *in_flight, const request_t *request, double now) {
    if (!in_flight->load.alone) return;
    double since = now - in_flight->load.head_since;
    if (in_flight->load.started && (since > 0 || request->work.service->doubtful)) round_trip_learn(&in_flight->round_trip, in_flight->load.start_seen_after);
    else if (shows_round_trip(request, since + in_flight->load.start_seen_after)) round_trip_learn(&in_flight->round_trip, since + in_flight->load.start_seen_after);
}

/* Seconds by which the server's report was read late: the answer may have been read as late. */
static double lateness(const in_flight_t *in_flight) { return in_flight->load.started ? fmax(in_flight->load.start_seen_after - known_round_trip(in_flight), 0) : 0; }

/* Whether it is known when the server began with the head. It is not where the report was read together with the answer, or so late that most of the
 * time may have passed: then the client was late. Of answers that are read together the first one is measured with the time of all, which is allowed
 * for short requests only. */
static bool knows_start(const in_flight_t *in_flight, const request_t *request, double now) {
    double since = now - in_flight->load.head_since;
    if (in_flight->load.started) return since > 0 && since >= lateness(in_flight);
    return !in_flight->load.alone && (since > 0 || !request->work.is_long);
}

/* Whether it had arrived at the server when the one before it was answered. Without a known round trip it may still have been on its way while the
 * server was idle. */
static bool had_arrived(const in_flight_t *in_flight, const request_t *request) {
    return in_flight->load.alone || round_trip_is_known(&in_flight->round_trip) || in_flight->load.head_since - request->work.pushed >= in_flight->round_trip.seconds;
}

/* Seconds of the server's work on it: since the answer before it, where that time is known. */
static double server_seconds(const in_flight_t *in_flight, const request_t *request, bool known, double now) {
    double at_most = now - request->work.pushed - known_round_trip(in_flight);
    return known ? fmin(now - in_flight->load.head_since, at_most) : at_most;
}

static void learn_of_service(in_flight_t *in_flight, request_t *request, double taken, bool sure, double now) {
    request->work.service->waited += in_flight->load.alone ? 0 : fmax(in_flight->load.head_since - request->work.pushed, 0);
    if (request->work.cut_short) return service_time_measure_lower_bound(request->work.service, taken, sure);
    service_time_measure(request->work.service, taken, sure);
    if (!request->work.is_long) dispatcher_learn_of_short(in_flight);
    else if (sure) dispatcher_learn(in_flight, request, taken, lateness(in_flight), now);
}

void measure_head(in_flight_t *in_flight, double now) {
    request_t *request = fifo_request(fifo_head(&in_flight->fifo));
    note_round_trip(in_flight, request, now);
    if (!request) return;
    bool known = knows_start(in_flight, request, now);
    double taken = server_seconds(in_flight, request, known, now);
    request->work.server_seconds = fmax(taken, LEAST_TAKEN);
    if (request->work.service) learn_of_service(in_flight, request, taken, known && had_arrived(in_flight, request), now);
}
