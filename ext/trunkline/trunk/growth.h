/* How many long requests may run at once. More of them are allowed as long as they take no longer for it: a server whose
 * processors are busy gets no more done by having more to do. */
#ifndef TRUNKLINE_GROWTH_H
#define TRUNKLINE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t least, most; /* allowed in any case */
    double allowed;
    double slowness;    /* how many times as long they take now as when few ran, on average */
    double round_sum;   /* times as long, of those measured in this round: a client that stops for a while makes all of them slow */
    unsigned round_count;
    double round_end;
    double adjust_at;   /* the last reduction shows no earlier than then */
} growth_t;

void growth_begin(growth_t *growth, size_t least, size_t most);

/* One has taken `times` as long as its kind does when few run, and `seconds` in all. */
void growth_note(growth_t *growth, double times, double seconds, double now);

/* May another one run, beside so many? */
bool growth_permits(growth_t *growth, size_t running);

/* How many may, beside so many? Those that are tried are tried one by one. */
size_t growth_room(growth_t *growth, size_t running);

#endif
