/* A connection's round-trip time: the shortest time in which an idle server was seen to answer. */
#ifndef TRUNKLINE_ROUND_TRIP_H
#define TRUNKLINE_ROUND_TRIP_H

#include <stdbool.h>

/* Round trips to measure before the shortest counts as the round-trip time: a busy client reads late. With 8 waits of 5 to 50 ms have a worst p95 of
 * 191 ms, and of 116 with 4 or 2: see bench/results/policy-profile.md. */
#define ENOUGH_TRIPS 4

/* Only the functions here change it. Initialised with zeroes. */
typedef struct {
    double seconds;  /* the shortest; 0: none was measured */
    unsigned measured; /* measured, up to ENOUGH_TRIPS; 0: `seconds` is only an upper bound, the time that connecting took */
} round_trip_t;

/* Sets an upper bound: the time that connecting took. */
static inline void round_trip_bound(round_trip_t *trip, double seconds) { trip->seconds = seconds; }

/* An otherwise idle server has answered a request within that time. */
static inline void round_trip_learn(round_trip_t *trip, double seconds) {
    if (trip->seconds == 0 || seconds < trip->seconds) trip->seconds = seconds;
    if (trip->measured < ENOUGH_TRIPS) trip->measured++;
}

/* Whether it was measured often enough to be relied on. */
static inline bool round_trip_is_known(const round_trip_t *trip) { return trip->measured >= ENOUGH_TRIPS; }

#endif
