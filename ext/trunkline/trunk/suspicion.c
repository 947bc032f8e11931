#include "suspicion.h"

#define FEWER 0.7   /* of those that ran; one at least */
#define AS_LONG 0.9 /* of the times that they took: where processors are short, it is as many as there are fewer of them */
#define ENOUGH 6    /* rounds */

void suspicion_raise(suspicion_t *suspicion, double running, double times) {
    if (running <= suspicion->running || running * FEWER < 1) return;
    *suspicion = (suspicion_t){.running = running, .times = times};
}

void suspicion_drop(suspicion_t *suspicion) { suspicion->running = 0; }

bool suspicion_refuted(suspicion_t *suspicion, double running, double times) {
    if (running > suspicion->running * FEWER) return false; /* nor is there any where none is suspected */
    suspicion->rounds++;
    suspicion->fewer += (times - suspicion->fewer) / suspicion->rounds;
    if (suspicion->rounds < ENOUGH) return false;
    suspicion_drop(suspicion);
    return suspicion->fewer >= suspicion->times * AS_LONG;
}
