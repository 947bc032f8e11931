#include "growth.h"

#include <math.h>

#define TOO_SLOW 1.5 /* times as long as when few ran: more would only wait for processors */
#define MOST_TIMES 4 /* that one measurement can count for */
#define WEIGHT 0.2   /* of one more measurement in the average */
#define REDUCED 0.9

void growth_begin(growth_t *growth, size_t least, size_t most) {
    *growth = (growth_t){.least = least, .most = most, .allowed = (double)least, .slowness = 1};
}

void growth_note(growth_t *growth, double times, double seconds, double now) {
    growth->slowness += (fmin(times, MOST_TIMES) - growth->slowness) * WEIGHT;
    if (growth->slowness <= TOO_SLOW || now < growth->adjust_at) return;
    growth->allowed = fmax(growth->allowed * REDUCED, (double)growth->least);
    growth->adjust_at = now + seconds;
}

bool growth_permits(growth_t *growth, size_t running) {
    if ((double)(running + 1) <= growth->allowed) return true;
    if (growth->slowness > TOO_SLOW || running >= growth->most) return false;
    growth->allowed = (double)(running + 1);
    return true;
}
