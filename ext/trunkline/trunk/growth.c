#include "growth.h"

#include <math.h>

#define TOO_SLOW 1.5   /* times as long as when few run: there are so many that they wait for processors */
#define SLOW 1.25      /* times as long: more would */
#define MOST_TIMES 2.5 /* that one round can count for: one alone makes nothing too slow */
#define WEIGHT 0.2     /* of one more round in the average */
#define ENOUGH 4       /* measured in a round */
#define MANY 0.5       /* of those that may run: fewer show nothing of what it is like when all of them do */
#define FIRST_STEPS 2.0 /* times as many as before, until there were too many */
#define LATER_STEPS 1.1
#define LONGEST_STEP 0.1 /* seconds; what takes longer is not waited for */
#define FORGOTTEN 0.25   /* seconds after a round in which none was measured */

void growth_begin(growth_t *growth, size_t least, size_t most) {
    *growth = (growth_t){.least = least, .most = most, .allowed = (double)least, .slowness = 1, .running = (double)least, .step = LONGEST_STEP};
}

/* To as many as would not be too slow, if nothing but the number of those that run makes them so. One always may, and shows how long it takes
 * alone. */
static void reduce(growth_t *growth, double now) {
    growth->allowed = fmax(fmin(growth->allowed, growth->running) * TOO_SLOW / growth->slowness, 1);
    growth->slowness = TOO_SLOW;
    growth->reduced = true;
    growth->changed_at = now;
}

static void judge(growth_t *growth, double now) {
    growth->slowness += (fmin(growth->round_sum / growth->round_count, MOST_TIMES) - growth->slowness) * WEIGHT;
    growth->running += (growth->round_running / growth->round_count - growth->running) * WEIGHT;
    if (growth->slowness > TOO_SLOW) reduce(growth, now);
}

static void acquit(growth_t *growth) {
    growth->slowness = 1;
    growth->reduced = false;
}

static void end_round(growth_t *growth, double now) {
    if (growth->shorts < growth->round_count) acquit(growth);
    else judge(growth, now);
    growth->round_sum = growth->round_running = 0;
    growth->round_count = growth->shorts = 0;
}

void growth_note(growth_t *growth, double times, double seconds, size_t running, double sent, double now) {
    if (sent < growth->changed_at || (times < TOO_SLOW && (double)running < growth->allowed * MANY)) return;
    if (now >= growth->round_end && (growth->round_count == 0 || growth->round_count >= ENOUGH)) {
        if (growth->round_count > 0) end_round(growth, now);
        growth->round_end = now + seconds;
        growth->step = seconds;
    }
    growth->round_sum += times;
    growth->round_running += (double)running;
    growth->round_count++;
}

/* The next step waits for a round of as many as there are then. */
static void grow(growth_t *growth, double now) {
    double more = growth->allowed * (growth->reduced ? LATER_STEPS : FIRST_STEPS);
    growth->allowed = fmin(fmax(more, growth->allowed + 1), (double)growth->most);
    growth->slowness = SLOW;
    growth->changed_at = now;
    growth->grow_at = now + fmin(growth->step, LONGEST_STEP);
}

bool growth_permits(growth_t *growth, size_t running, double now) {
    if (now > growth->round_end + FORGOTTEN) growth->slowness = 1;
    if ((double)(running + 1) > growth->allowed && growth->slowness < SLOW && now >= growth->grow_at) grow(growth, now);
    return (double)(running + 1) <= growth->allowed;
}

size_t growth_room(growth_t *growth, size_t running, double now) {
    return growth_permits(growth, running, now) ? (size_t)growth->allowed - running : 0;
}
