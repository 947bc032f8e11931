/* How far away a server is: the shortest time that was seen between it, having nothing to do, and this client. */
#ifndef TRUNKLINE_ROUND_TRIP_H
#define TRUNKLINE_ROUND_TRIP_H

#include <stdbool.h>

/* Looked at, before the shortest is taken for the way: a busy client is late in reading. With 8 waits of 5 to 50 ms have a worst p95 of 191 ms, and
 * of 116 with 4 or 2: see bench/results/policy-profile.md. */
#define ENOUGH_TRIPS 4

/* Only the functions here change it. All zero at first. */
typedef struct {
    double seconds;  /* the shortest; 0: none yet */
    unsigned looked; /* at how many, up to ENOUGH_TRIPS; 0: the seconds are no more than the time that connecting took */
} round_trip_t;

/* What connecting took: the way takes no longer. */
static inline void round_trip_bound(round_trip_t *trip, double seconds) { trip->seconds = seconds; }

/* A request of a server that had nothing else to do was answered within that time. */
static inline void round_trip_learn(round_trip_t *trip, double seconds) {
    if (trip->seconds == 0 || seconds < trip->seconds) trip->seconds = seconds;
    if (trip->looked < ENOUGH_TRIPS) trip->looked++;
}

/* Whether it was measured often enough to count on. */
static inline bool round_trip_is_known(const round_trip_t *trip) { return trip->looked >= ENOUGH_TRIPS; }

#endif
