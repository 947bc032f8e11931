#include "concurrency_limit.h"

#include <math.h>

/* The figures are from simulated traffic or from a model of the long requests alone: bench/results/policy-profile.md says which. */

/* Multiples of the unloaded time that long requests may take. With 1.5 short queries have a p99 of 0.74 ms beside 600 reports a second, of 0.26 with
 * 1.2. With 1.1 chance is taken for load: reports of 5 ms, exponential, 330 a second, had a worst median of 163 ms, and of 37 with 1.2. */
#define TOLERANCE 1.2
/* Measurements in a round. With 8 the first half second of queries that wait for 50 ms has a median of 198 ms, of 156 with 4. With 2 chance raises the
 * worst median of waits of 20 ms, exponential, from 25 to 34 ms. */
#define ROUND_SIZE 4
/* Multiples of a probe's length until the next one. With 10 more time is lost: the p99 of the number of reports at once rises from 12 to 16. With 40
 * queries that take four times as long, exponentially, from a moment on are held back for 0.8 s. */
#define PROBE_PAUSE 20
/* Seconds without a measurement after which the round ends as one without load. A client that always reads late can measure nothing: without this,
 * its long queries had 3 of 16 connections for ever. Half and double change little. */
#define ROUND_TIMEOUT 0.25
/* The gradient is no less: one round of chance does not take most of the limit. Beside reports of 5 ms, exponential, 330 a second, short queries have a p99 of
 * 0.40 ms, of 0.63 with 0.25 and of 0.51 with 0.75; queries that take four times as long from a moment on have a p95 of 103 ms, 322 and 80. */
#define LEAST_GRADIENT 0.5

void concurrency_limit_begin(concurrency_limit_t *limit, size_t first, size_t most) {
    *limit = (concurrency_limit_t){.allowed = (double)first, .most = (double)most, .starting = true};
}

static void allow(concurrency_limit_t *limit, double allowed, double now) {
    allowed = fmin(fmax(allowed, 1), limit->most);
    if ((size_t)allowed != (size_t)limit->allowed) limit->changed_at = now;
    limit->allowed = allowed;
}

static void begin_probe(concurrency_limit_t *limit, double now) {
    limit->resumed = limit->allowed;
    limit->probe_began = now;
    limit->probing = true;
    limit->probe++;
    allow(limit, UNLOADED, now);
}

static void end_probe(concurrency_limit_t *limit, double now) {
    limit->probe_next = now + (now - limit->probe_began) * PROBE_PAUSE;
    limit->probing = false;
    limit->starting = true;
    allow(limit, limit->resumed, now);
}

/* Slow start doubles the limit. With half as much more, the first half second of queries that wait for 50 ms has a median of 194 ms, of 164 as it is, and of 93
 * with four times as much; but then short queries beside 160 reports a second on one processor have a worst p99 of 0.68 ms in place of 0.44. */
static void adjust(concurrency_limit_t *limit, double times, double now) {
    double gradient = fmax(fmin(TOLERANCE / times, 1), LEAST_GRADIENT), more = limit->refused;
    limit->starting = limit->starting && gradient == 1;
    if (limit->starting) more *= limit->allowed;
    allow(limit, limit->allowed * gradient + more, now);
    if (gradient < 1 && now >= limit->probe_next) begin_probe(limit, now);
}

/* Where hardly any short requests come, no connection needs to be spared for them, and long requests may have all. */
static void end_round(concurrency_limit_t *limit, double now) {
    bool spares_none = limit->shorts < limit->round_count || limit->round_count == 0;
    if (limit->probing) end_probe(limit, now);
    else adjust(limit, spares_none ? 1 : limit->round_sum / limit->round_count, now);
    limit->was_refused = limit->refused;
    limit->refused = false;
    limit->round_sum = 0;
    limit->round_count = limit->shorts = 0;
    limit->round_times_out_at = fmax(limit->round_times_out_at, now + ROUND_TIMEOUT);
}

/* Whether a measurement counts. A request that took no longer while few ran shows nothing about more of them. */
static bool counts(const concurrency_limit_t *limit, double times, size_t running, double sent) {
    return sent >= limit->changed_at && (times > TOLERANCE || (double)running * 2 >= limit->allowed);
}

void concurrency_limit_measure(concurrency_limit_t *limit, double times, double seconds, size_t running, double sent, double now) {
    limit->round_times_out_at = now + seconds + ROUND_TIMEOUT;
    if (!counts(limit, times, running, sent)) return;
    if (limit->round_count == 0) limit->round_end = now + seconds;
    limit->round_sum += times;
    limit->round_count++;
    if (limit->round_count >= (limit->probing ? UNLOADED_ENOUGH : ROUND_SIZE) && now >= limit->round_end) end_round(limit, now);
}

size_t concurrency_limit_room(concurrency_limit_t *limit, size_t running, double now) {
    if ((double)running + 1 > limit->allowed) {
        if (limit->round_times_out_at == 0) limit->round_times_out_at = now + ROUND_TIMEOUT;
        limit->refused = true;
        if (now > limit->round_times_out_at) end_round(limit, now);
    }
    return (double)running + 1 <= limit->allowed ? (size_t)limit->allowed - running : 0;
}
