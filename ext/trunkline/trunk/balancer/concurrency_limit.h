/* How many long requests may run at once: a gradient limit. While they take no longer for their number than they do unloaded, the limit doubles with
 * each round of measurements (slow start). After the first round in which they take longer, it is multiplied by the gradient, the ratio of the
 * tolerated time to the time that they take, and grows by one a round. A server whose processors are busy finishes no more requests by having more of
 * them, and short requests would wait.
 *
 * The unloaded time of each statement is measured again from time to time (a probe): the first measurements may have been short by chance, or the
 * server may have become slower. Only a limit that holds requests back is probed. */
#ifndef TRUNKLINE_CONCURRENCY_LIMIT_H
#define TRUNKLINE_CONCURRENCY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include "../requests/service_time.h"

typedef struct {
    double allowed;
    double most;          /* upper bound of `allowed` */
    double resumed;       /* the limit to which `allowed` returns when the probe ends */
    double round_sum;     /* sum of this round's ratios of service time to unloaded time */
    double round_end;     /* the round's earliest end: the first answers are those of the shortest requests */
    double changed_at;    /* when the limit was changed: requests that were sent before do not show its effect */
    double round_times_out_at; /* the round ends then if no measurement comes */
    double probe_began;
    double probe_next;    /* the earliest beginning of the next probe */
    unsigned round_count; /* measurements in this round */
    unsigned shorts;      /* short requests answered in this round */
    unsigned probe;       /* number of probes begun: unloaded times of an earlier probe are out of date */
    bool starting;        /* slow start */
    bool probing;
    bool refused;         /* a request was refused in this round: otherwise a higher limit would change nothing */
    bool was_refused;     /* likewise in the round before */
} concurrency_limit_t;

/* Begins slow start at `first`, up to `most`. */
void concurrency_limit_begin(concurrency_limit_t *limit, size_t first, size_t most);

/* Adds a measurement: a long request that was sent at `sent` took `seconds`, which is `times` its unloaded time, while `running` of them ran. */
void concurrency_limit_measure(concurrency_limit_t *limit, double times, double seconds, size_t running, double sent, double now);

/* Whether the limit holds requests back or a probe is under way: then each long request is measured exactly. */
static inline bool concurrency_limit_is_binding(const concurrency_limit_t *limit) {
    return limit->probing || limit->refused || limit->was_refused;
}

/* How many more may run beside so many. Notes a refusal. */
size_t concurrency_limit_room(concurrency_limit_t *limit, size_t running, double now);

#endif
