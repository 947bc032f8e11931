#include "measure.h"

#include <math.h>
#include "dispatcher.h"
#include "../core/request.h"

/* Looked at, before the shortest is taken for the way: a busy client is late in reading. With 8 waits of 5 to 50 ms have a worst p95 of 191 ms, and
 * of 116 with 4 or 2: see bench/results/policy-profile.md. */
#define ENOUGH_TRIPS 4
#define LEAST_TAKEN 1e-9 /* seconds: what came no later than the way takes is measured, too */

static void learn_round_trip(fifo_t *fifo, double seconds) {
    if (fifo->round_trip == 0 || seconds < fifo->round_trip) fifo->round_trip = seconds;
    if (fifo->trips < ENOUGH_TRIPS) fifo->trips++;
}

/* Seconds of an answer's time that were the way's for sure. */
static double on_the_way(const fifo_t *fifo) { return fifo->trips < ENOUGH_TRIPS ? 0 : fifo->round_trip; }

/* Whether its time may be taken for a round trip, as it was alone in flight: the time of a long request would hide how short that is. */
static bool shows_round_trip(const request_t *request, double seconds) {
    if (!request || seconds < SHORT_AGAIN) return true;
    const service_t *service = request->work.service;
    return service && service->taken.count > 0 && !service->doubtful && service->mean < SHORT_AGAIN;
}

/* The server's word that it begins tells the way, but not where it was read with the answer of what is known to take a while. */
static void note_round_trip(fifo_t *fifo, const request_t *request, double now) {
    if (!fifo->alone) return;
    double since = now - fifo->head_since;
    if (fifo->begun && (since > 0 || request->work.service->doubtful)) learn_round_trip(fifo, fifo->told_after);
    else if (shows_round_trip(request, since + fifo->told_after)) learn_round_trip(fifo, since + fifo->told_after);
}

/* Seconds by which the server's word that it begins was read late: so late may the answer have been read, too. */
static double lateness(const fifo_t *fifo) { return fifo->begun ? fmax(fifo->told_after - on_the_way(fifo), 0) : 0; }

/* Whether it is known when the server began with it: not where that was read together with the answer, or when most of the time may have
 * passed: then the client was late. Of those that come together behind each other the first one counts for all, which only
 * short ones can do. */
static bool knows_beginning(const fifo_t *fifo, const request_t *request, double now) {
    double since = now - fifo->head_since;
    if (fifo->begun) return since > 0 && since >= lateness(fifo);
    return !fifo->alone && (since > 0 || !request->work.is_long);
}

/* Had it come to the server when the one before it was answered? Where it is not known how long the way is, it may have been
 * under way still, and the server idle. */
static bool had_come(const fifo_t *fifo, const request_t *request) {
    return fifo->alone || fifo->trips >= ENOUGH_TRIPS || fifo->head_since - request->work.pushed >= fifo->round_trip;
}

/* Seconds that the server has worked on it: since the answer before it where that moment is known. */
static double server_seconds(const fifo_t *fifo, const request_t *request, bool known, double now) {
    double at_most = now - request->work.pushed - on_the_way(fifo);
    return known ? fmin(now - fifo->head_since, at_most) : at_most;
}

static void learn_of_service(fifo_t *fifo, request_t *request, double taken, bool sure, double now) {
    request->work.service->waited += fifo->alone ? 0 : fmax(fifo->head_since - request->work.pushed, 0);
    if (request->work.cut_short) return service_measure_part(request->work.service, taken, sure);
    service_measure(request->work.service, taken, sure);
    if (!request->work.is_long) dispatcher_learn_of_short(fifo);
    else if (sure) dispatcher_learn(fifo, request, taken, lateness(fifo), now);
}

void measure(fifo_t *fifo, double now) {
    request_t *request = fifo_request(fifo_head(fifo));
    note_round_trip(fifo, request, now);
    if (!request) return;
    bool known = knows_beginning(fifo, request, now);
    double taken = server_seconds(fifo, request, known, now);
    request->work.taken = fmax(taken, LEAST_TAKEN);
    if (request->work.service) learn_of_service(fifo, request, taken, known && had_come(fifo, request), now);
}
