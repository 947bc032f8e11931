/* Is it their number that makes long requests slow? That is believed of those that ran when they were too slow, and holds if they are
 * faster when fewer run. If they are not, it was something else: what they take alone was measured by chance of short ones, or the
 * server has become slower by itself. */
#ifndef TRUNKLINE_SUSPICION_H
#define TRUNKLINE_SUSPICION_H

#include <stdbool.h>

typedef struct {
    double running;  /* how many ran when it arose; 0: there is none */
    double times;    /* how many times as long they took then */
    double fewer;    /* how many times as long they have taken since when fewer ran, on average */
    unsigned rounds; /* in which fewer ran */
} suspicion_t;

/* So many have taken so many times as long as they should. The more there were, the more it tells if fewer are faster. */
void suspicion_raise(suspicion_t *suspicion, double running, double times);

/* Whether they are slow is of no interest any more. */
void suspicion_drop(suspicion_t *suspicion);

/* So many have taken so many times as long in one more round. Is the suspicion refuted by it? Then, as when it is confirmed, there is none
 * any more. */
bool suspicion_refuted(suspicion_t *suspicion, double running, double times);

#endif
