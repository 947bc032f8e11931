/* How many long requests may run at once. More of them are allowed as long as they take no longer for it: a server whose
 * processors are busy gets no more done by having more to do, and keeps the short ones waiting, for whose sake they are fewer then.
 * Where no short ones come, they are not held back. */
#ifndef TRUNKLINE_GROWTH_H
#define TRUNKLINE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include "suspicion.h"

typedef struct {
    size_t least;       /* allowed at first */
    size_t most;        /* allowed at all */
    double allowed;
    double before;      /* allowed before the last step, until the first round after it is over; 0 then */
    double slowness;    /* how many times as long they take now as when the fewest ran, on average */
    double usual;       /* how many times as long they take for other reasons than their number */
    suspicion_t suspicion;
    double running;     /* how many ran at once, on average */
    double shown;       /* the same of the last round */
    double round_sum;   /* times as long, of those measured in this round: a client that stops for a while makes all of them slow */
    double round_running; /* likewise, how many ran at once */
    unsigned round_count;
    unsigned shorts;    /* short ones that were answered in this round */
    double round_end;
    double step;        /* seconds that one has taken: so long it is until what was changed shows */
    double grow_at;     /* where none is measured, they do not become more before */
    double changed_at;  /* what was sent before tells nothing of the last change */
    bool reduced;       /* were there ever too many? Then they become more by and by */
} growth_t;

void growth_begin(growth_t *growth, size_t least, size_t most);

/* One that was sent at that time has taken `times` as long as its kind does when the fewest run, and `seconds` in all; so many ran at
 * once. What took no longer beside few of those that may run says nothing of the others. */
void growth_note(growth_t *growth, double times, double seconds, size_t running, double sent, double now);

/* Is it being found out whether so many may run, or whether it is their number that makes them slow? */
static inline bool growth_is_trying(const growth_t *growth) { return growth->before > 0 || growth->suspicion.running > 0; }

/* May another one run, beside so many? */
bool growth_permits(growth_t *growth, size_t running, double now);

/* How many may, beside so many? */
size_t growth_room(growth_t *growth, size_t running, double now);

#endif
