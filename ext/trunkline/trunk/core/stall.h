/* For how long the callers of a connection have not done what is theirs to do next: part of Trunkline::ConnectionState. Their event loop is blocked
 * then, or was dropped in a thread that lives on, which no other thread can find out. Nothing here is on a query's way. */
#ifndef TRUNKLINE_STALL_H
#define TRUNKLINE_STALL_H

#include <ruby.h>
#include <stdint.h>

typedef struct {
    VALUE displaced;    /* the request whose waiter slept as leader when another caller took the lead over, and sleeps still; or nil */
    double looked;      /* when it was seen to stall last, on the one clock; 0: at the last look it did not */
    double seconds;     /* for which it has stalled, as far as that was seen */
    uint64_t transfers; /* reads and writes until then */
} stall_t;

/* Of one that was just allocated. */
void stall_clear(stall_t *stall);

/* The leader of that request has slept, and leads no more: it sleeps no longer, if it was displaced. */
static inline void stall_note_awake(stall_t *stall, VALUE request) {
    if (stall->displaced == request) stall->displaced = Qnil;
}

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_stall(void);

#endif
