#include "growth.h"

#include <math.h>

#define TOO_SLOW 1.5   /* times as long as when few run: there are so many that they wait for processors */
#define SLOW 1.25      /* times as long: more would */
#define MOST_TIMES 2.5 /* that one round can count for: one alone makes nothing too slow */
#define WEIGHT 0.2     /* of one more round in the average */
#define ENOUGH 4       /* measured in a round */
#define ENOUGH_OF_STEP 8 /* in the first one after a step */
#define MANY 0.5       /* of those that may run: fewer show nothing of what it is like when all of them do */
#define FIRST_STEPS 2.0 /* times as many as before, until there were too many */
#define NOTHING_GAINED 1.75 /* times as long, after a step: as good as for twice as many where processors are short */
#define LATER_STEPS 1.1
#define LONGEST_STEP 0.1 /* seconds; what takes longer is not waited for */
#define FORGOTTEN 0.25   /* seconds after a round, or a change, in which none was measured */

/* The first number is tried, too: what is measured beside more may tell nothing of how long one takes. */
void growth_begin(growth_t *growth, size_t least, size_t most) {
    double first = (double)least;
    *growth = (growth_t){.least = least, .most = most, .allowed = first, .before = first, .slowness = SLOW, .usual = 1,
                         .running = first, .shown = first, .step = LONGEST_STEP};
}

static void allow_fewer(growth_t *growth, double allowed, double times, double now) {
    suspicion_raise(&growth->suspicion, growth->shown, times);
    growth->allowed = allowed;
    growth->slowness = TOO_SLOW;
    growth->reduced = true;
    growth->changed_at = now;
}

/* To as many as would not be too slow, if nothing but the number of those that run makes them so. One always may, and shows how long it takes
 * alone. */
static void reduce(growth_t *growth, double now) {
    allow_fewer(growth, fmax(fmin(growth->allowed, growth->running) * TOO_SLOW / growth->slowness, 1), growth->slowness, now);
}

/* What was taken for their number's doing is how long they take. */
static void get_used_to(growth_t *growth, double times) {
    growth->usual = fmax(growth->usual * times, 1);
    growth->slowness = 1;
    growth->reduced = false;
}

static void judge(growth_t *growth, double times, double now) {
    double counted = fmin(times, MOST_TIMES);
    growth->slowness += (counted - growth->slowness) * WEIGHT;
    growth->running += (growth->shown - growth->running) * WEIGHT;
    if (growth->before > 0 && times > NOTHING_GAINED) allow_fewer(growth, growth->before, counted, now);
    else if (growth->slowness > TOO_SLOW) reduce(growth, now);
    if (suspicion_refuted(&growth->suspicion, growth->shown, times)) get_used_to(growth, growth->suspicion.fewer);
    else if (times < 1) growth->usual = fmax(growth->usual * (1 - WEIGHT * (1 - times)), 1);
}

static void acquit(growth_t *growth) {
    suspicion_drop(&growth->suspicion);
    growth->slowness = 1;
    growth->reduced = false;
}

static void end_round(growth_t *growth, double now) {
    growth->shown = growth->round_running / growth->round_count;
    if (growth->shorts < growth->round_count) acquit(growth);
    else judge(growth, growth->round_sum / growth->round_count, now);
    growth->before = growth->round_sum = growth->round_running = 0;
    growth->round_count = growth->shorts = 0;
}

void growth_note(growth_t *growth, double times, double seconds, size_t running, double sent, double now) {
    times /= growth->usual;
    if (sent < growth->changed_at || (times < TOO_SLOW && (double)running < growth->allowed * MANY)) return;
    unsigned enough = growth->before > 0 ? ENOUGH_OF_STEP : ENOUGH;
    if (now >= growth->round_end && (growth->round_count == 0 || growth->round_count >= enough)) {
        if (growth->round_count > 0) end_round(growth, now);
        growth->round_end = now + seconds;
        growth->step = seconds;
    }
    growth->round_sum += times;
    growth->round_running += (double)running;
    growth->round_count++;
}

/* To no more than twice as many as have run, and by little where there were too many before. The next step waits for a round of as many as
 * there are then. */
static void grow(growth_t *growth, double now) {
    double more = growth->reduced ? growth->allowed * LATER_STEPS : fmin(growth->allowed, growth->shown) * FIRST_STEPS;
    growth->before = growth->allowed;
    growth->allowed = fmin(fmax(more, growth->allowed + 1), (double)growth->most);
    growth->slowness = SLOW;
    growth->changed_at = now;
    growth->grow_at = now + fmin(growth->step, LONGEST_STEP);
}

/* Nothing speaks against more. */
static void forget(growth_t *growth) {
    growth->slowness = 1;
    growth->shown = growth->allowed;
}

bool growth_permits(growth_t *growth, size_t running, double now) {
    if (growth->changed_at == 0) growth->changed_at = now;
    if (now > fmax(growth->round_end, growth->changed_at) + FORGOTTEN) forget(growth);
    if ((double)(running + 1) > growth->allowed && growth->slowness < SLOW && now >= growth->grow_at) grow(growth, now);
    return (double)(running + 1) <= growth->allowed;
}

size_t growth_room(growth_t *growth, size_t running, double now) {
    return growth_permits(growth, running, now) ? (size_t)growth->allowed - running : 0;
}
