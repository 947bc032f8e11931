#include "growth.h"

#include <math.h>

#define TOO_SLOW 1.5 /* times as long as when few ran: more would only wait for processors */
#define MOST_TIMES 2.5 /* that one round can count for: one alone makes nothing too slow */
#define WEIGHT 0.2   /* of one more round in the average */
#define REDUCED 0.9

void growth_begin(growth_t *growth, size_t least, size_t most) {
    *growth = (growth_t){.least = least, .most = most, .allowed = (double)least, .slowness = 1};
}

static void reduce(growth_t *growth, double seconds, double now) {
    if (growth->slowness <= TOO_SLOW || now < growth->adjust_at) return;
    growth->allowed = fmax(growth->allowed * REDUCED, (double)growth->least);
    growth->adjust_at = now + seconds;
}

static void end_round(growth_t *growth) {
    growth->slowness += (fmin(growth->round_sum / growth->round_count, MOST_TIMES) - growth->slowness) * WEIGHT;
    growth->round_sum = 0;
    growth->round_count = 0;
}

void growth_note(growth_t *growth, double times, double seconds, double now) {
    if (now >= growth->round_end) {
        if (growth->round_count > 0) end_round(growth);
        growth->round_end = now + seconds;
        reduce(growth, seconds, now);
    }
    growth->round_sum += times;
    growth->round_count++;
}

bool growth_permits(growth_t *growth, size_t running) {
    if ((double)(running + 1) <= growth->allowed) return true;
    if (growth->slowness > TOO_SLOW || running >= growth->most) return false;
    growth->allowed = (double)(running + 1);
    return true;
}

size_t growth_room(growth_t *growth, size_t running) {
    if (!growth_permits(growth, running)) return 0;
    return (size_t)growth->allowed - running;
}
