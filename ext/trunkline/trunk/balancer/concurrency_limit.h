/* How many long requests may run at once: a gradient limit. While they take no longer for their number than they do unloaded, the limit
 * doubles with each round of measurements (slow start). From the first round on in which they take longer, it is multiplied by the gradient,
 * which is the ratio of the time that is tolerated to the time that they take, and grows by one a round. A server whose processors are busy
 * gets no more done by having more to do, and short requests would wait for it.
 *
 * The unloaded time of each statement is measured again now and then (a probe): what was measured at first may have been short by chance, or
 * the server has become slower by itself. Only a limit that holds requests back is probed. */
#ifndef TRUNKLINE_CONCURRENCY_LIMIT_H
#define TRUNKLINE_CONCURRENCY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include "../core/service.h"

typedef struct {
    double allowed;       /* long requests that may run at once now */
    double most;          /* that may ever be allowed */
    double resumed;       /* allowed again when the probe ends */
    double round_sum;     /* of the ratios of the times taken to the unloaded times, in this round */
    double round_end;     /* the round lasts until then: the first answers are those of the shortest requests */
    double changed_at;    /* when the limit was changed: a request that was sent before shows nothing of the change */
    double silent_at;     /* without another measurement until then, the round ends */
    double probe_began;
    double probe_next;    /* no probe begins before */
    unsigned round_count; /* measurements in this round */
    unsigned shorts;      /* short requests answered in this round */
    unsigned probe;       /* the number of probes begun: unloaded times of an earlier probe are out of date */
    bool starting;        /* slow start */
    bool probing;
    bool refused;         /* a request was refused in this round: without that a higher limit would change nothing */
    bool was_refused;     /* likewise in the round before */
} concurrency_limit_t;

/* Slow start from `first` on, up to `most`. */
void concurrency_limit_begin(concurrency_limit_t *limit, size_t first, size_t most);

/* A long request that was sent at `sent` took `seconds`, which is `times` its unloaded time, while `running` of them ran. */
void concurrency_limit_measure(concurrency_limit_t *limit, double times, double seconds, size_t running, double sent, double now);

/* Whether the limit holds requests back, or a probe is under way: then each measurement counts. */
static inline bool concurrency_limit_is_binding(const concurrency_limit_t *limit) {
    return limit->probing || limit->refused || limit->was_refused;
}

/* How many more may run, beside so many? */
size_t concurrency_limit_room(concurrency_limit_t *limit, size_t running, double now);

#endif
