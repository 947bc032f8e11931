#include "search.h"
#include "../connection/backlog.h"
#include "../runtime/clock.h"

#include <math.h>

/* Half and double of these change nothing on the traffic of bin/bench policy: see bench/results/policy-profile.md. */
#define FEW_CONNECTIONS 8  /* up to this number all connections are considered; of more, those that are likely to be suitable */
#define MOST_IDLE_TRIED 8  /* idle connections that are tried, as their callers may still be about to leave */
#define MIN_COST 0.00001   /* least seconds that a request counts for where room is estimated */
#define OPEN_ANOTHER_AFTER 0.05 /* seconds by which a head exceeds its estimate before another connection is opened: a busy machine causes delays, too */

search_t search_for(dispatcher_t *dispatcher, request_t *request) {
    bool is_long = request->work.service && request->work.service->is_long;
    return (search_t){.dispatcher = dispatcher, .request = request, .is_long = is_long, .now = clock_now(), .best = -1, .least = HUGE_VAL};
}

bool search_is_only(const search_t *search) {
    return search->dispatcher->count == 1 && !dispatcher_may_grow(search->dispatcher, search->now);
}

bool search_permits_long(const search_t *search) {
    dispatcher_t *dispatcher = search->dispatcher;
    if (search_is_only(search)) return true;
    size_t running = occupancy_running(&dispatcher->occupancy);
    return (long)running < dispatcher->count - 1 && concurrency_limit_room(&dispatcher->limit, running, search->now) > 0;
}

static bool takes(const search_t *search, connection_t *connection) {
    const request_t *request = search->request;
    return !connection_in_flight(connection)->occupant.kept && connection_takes(connection, request->scheduler, request->pinned) && connection_has_room(connection);
}

/* Whether the request may be sent behind others although the backlog is not short. It may if it is known to be short and its caller waits for the
 * answer, so that it sends nothing else meanwhile. */
static bool may_queue(const search_t *search, const connection_t *connection) {
    const service_time_t *service = search->request->work.service;
    if (search->request->pipelined || (service && service->times.count == 0)) return false;
    return connection_in_flight(connection)->load.longs == 0;
}

/* Whether the caller may be sent there because no caller reads: it will. But not behind a long request where it could have another connection
 * instead. */
static bool would_be_read(const search_t *search, connection_t *connection) {
    if (search->request->pipelined || connection_is_led(connection)) return false;
    return !dispatcher_may_grow(search->dispatcher, search->now) || (connection_in_flight(connection)->load.longs == 0 && !connection_behind_estimate(connection, search->now, SHORT_BACKLOG));
}

/* Long requests are sent only over idle connections, as they would block the next one, also where no caller reads. */
static bool needs_idle(const search_t *search) { return search->is_long && !search_is_only(search); }

/* Whether the request's service time is unknown, and it should rather wait than be sent behind others: another connection may be opened, or the first
 * answer to the same statement, which shows its service time, is on its way. */
static bool is_unknown(const search_t *search) {
    const service_time_t *service = search->request->work.service;
    return service && !service->is_known && (dispatcher_may_grow(search->dispatcher, search->now) || (service->unknown_in_flight > 0 && !search_is_only(search)));
}

/* Whether it would be sent behind another request whose time is also unknown. Otherwise a first burst of slow statements would be queued on few
 * connections: of 20 statements of 0.1 s on 15 connections up to three were on one, while 14 were idle. */
static bool adds_to_unknown(const search_t *search, const connection_t *connection) {
    return connection_in_flight(connection)->load.unknown > 0 && is_unknown(search);
}

/* Whether the request may be sent over a busy connection with so many seconds of backlog. */
static bool may_join(const search_t *search, connection_t *connection, double backlog) {
    if (needs_idle(search) || adds_to_unknown(search, connection)) return false;
    if (search_is_only(search) || would_be_read(search, connection)) return true;
    if (connection_behind_estimate(connection, search->now, SHORT_BACKLOG)) return false;
    return backlog <= connection_short_backlog(connection) || may_queue(search, connection);
}

static void consider(search_t *search, long at) {
    connection_t *connection = connection_at(search->dispatcher, at);
    bool idle = connection_in_flight(connection)->fifo.count == 0;
    if (!takes(search, connection) || (!idle && needs_idle(search))) return; /* the backlog of requests that exceed their estimates takes a poll of the socket each */
    double backlog = connection_backlog(connection, search->now);
    if (backlog >= search->least || !(idle ? !search->is_long || search_permits_long(search) : may_join(search, connection, backlog))) return;
    search->least = backlog;
    search->best = at;
}

bool search_idle(search_t *search) {
    dispatcher_t *dispatcher = search->dispatcher;
    const occupant_t *occupant = dispatcher->occupancy.idle.older;
    for (int look = 0; look < MOST_IDLE_TRIED && occupant != &dispatcher->occupancy.idle; look++, occupant = occupant->older) {
        if (!takes(search, connection_at(dispatcher, (long)occupant->index))) continue;
        search->best = (long)occupant->index;
        return true;
    }
    return false;
}

static uint32_t next_random(dispatcher_t *dispatcher) {
    uint32_t random = dispatcher->random; /* xorshift */
    random ^= random << 13;
    random ^= random >> 17;
    return dispatcher->random = random ^ (random << 5);
}

static void consider_others(search_t *search) {
    dispatcher_t *dispatcher = search->dispatcher;
    if (dispatcher->count <= FEW_CONNECTIONS) {
        search_all(search);
    } else {
        consider(search, dispatcher->current);
        for (int times = 0; times < 2; times++) consider(search, (long)(next_random(dispatcher) % (uint32_t)dispatcher->count));
    }
}

/* Fibers stay with the current connection while its backlog is short: they write together, and so gain by using the same one, as threads do not. */
static bool prefers_current(const search_t *search) {
    connection_t *connection = connection_at(search->dispatcher, search->dispatcher->current);
    if (NIL_P(search->request->scheduler) || search->is_long || !takes(search, connection)) return false;
    return connection_backlog(connection, search->now) <= SHORT_BACKLOG && !adds_to_unknown(search, connection);
}

static void choose_short(search_t *search) {
    if (prefers_current(search)) search->best = search->dispatcher->current;
    else if (!search_idle(search)) consider_others(search);
}

static void choose_long(search_t *search) {
    if (search->dispatcher->occupancy.idle_count > 0 && search_permits_long(search) && search_idle(search)) return;
    if (search->dispatcher->count <= FEW_CONNECTIONS) consider_others(search);
}

void search_likely(search_t *search) {
    if (search->dispatcher->current >= search->dispatcher->count) search->dispatcher->current = 0;
    search->is_long ? choose_long(search) : choose_short(search);
}

void search_all(search_t *search) {
    for (long at = 0; at < search->dispatcher->count; at++) consider(search, at);
}

static void consider_unread(search_t *search, long at) {
    connection_t *connection = connection_at(search->dispatcher, at);
    if (connection_is_led(connection)) return;
    const in_flight_t *in_flight = connection_in_flight(connection);
    if (in_flight->fifo.count == 0 || !connection_takes(connection, search->request->scheduler, search->request->pinned)) return;
    double backlog = connection_backlog(connection, search->now);
    if (backlog >= search->least) return;
    search->least = backlog;
    search->best = at;
}

void search_unread(search_t *search) {
    for (long at = 0; at < search->dispatcher->count; at++) consider_unread(search, at);
}

size_t search_room_on(const search_t *search, connection_t *connection, size_t most) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    if (!takes(search, connection)) return 0;
    double backlog = connection_backlog(connection, search->now), enough = connection_short_backlog(connection);
    if (in_flight->fifo.count > 0 && !may_join(search, connection, backlog)) return 0;
    if (is_unknown(search)) return 1;
    size_t room = connection->max_requests - in_flight->fifo.count;
    if (!search_is_only(search) && !may_queue(search, connection)) {
        room = 1 + (size_t)(fmax(enough - backlog, 0) / fmax(search->request->work.service ? search->request->work.service->mean : 0, MIN_COST));
    }
    return room < most ? room : most;
}

/* Seconds for which the head has exceeded its estimate, or the connection has been idle, where callers of another event loop are active: they read
 * there, and may have been dropped. */
static double others_delay(const search_t *search, const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    return in_flight->fifo.count > 0 ? in_flight_beyond_estimate(in_flight, search->now) : search->now - in_flight->load.idle_since;
}

static bool is_blocked(const search_t *search, connection_t *connection) {
    if (connection->shut || connection_in_flight(connection)->load.longs > 0) return true;
    if (!connection_admits(connection, search->request->scheduler, search->request->pinned)) return others_delay(search, connection) > OPEN_ANOTHER_AFTER;
    return connection_behind_estimate(connection, search->now, OPEN_ANOTHER_AFTER);
}

bool search_all_blocked(const search_t *search) {
    for (long at = 0; at < search->dispatcher->count; at++) {
        if (!is_blocked(search, connection_at(search->dispatcher, at))) return false;
    }
    return true;
}
