/* What Trunkline::Dispatcher holds: the connections among which it chooses. */
#ifndef TRUNKLINE_DISPATCHER_STATE_H
#define TRUNKLINE_DISPATCHER_STATE_H

#include "../core/connection.h"
#include "../core/occupancy.h"
#include "concurrency_limit.h"

typedef struct {
    VALUE trunks, states;  /* frozen Arrays in the same order */
    long count, current;
    occupancy_t occupancy; /* which of them are idle, kept, or work on long requests */
    size_t shared;        /* trunks beyond these are closed when they were idle for long enough */
    double most_idle;     /* seconds */
    double idle_limit;    /* seconds after which the server ends an idle connection: one that was idle for so long is not chosen */
    double look_at;       /* when none is chosen before the caller has looked at the idle ones */
    bool may_grow;        /* could another trunk be opened, or is one being opened? */
    uint32_t random;
    concurrency_limit_t limit; /* of long requests that run at once */
} dispatcher_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline dispatcher_t *dispatcher_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* The connection of the trunk at this index. */
static inline connection_t *connection_at(const dispatcher_t *dispatcher, long at) { return connection_of(RARRAY_AREF(dispatcher->states, at)); }

#endif
