/* The struct of Trunkline::Dispatcher: the connections among which it chooses. */
#ifndef TRUNKLINE_DISPATCHER_STATE_H
#define TRUNKLINE_DISPATCHER_STATE_H

#include "../connection/connection.h"
#include "../requests/occupancy.h"
#include "concurrency_limit.h"

typedef struct {
    VALUE trunks, states;  /* frozen Arrays in the same order */
    long count, current;
    occupancy_t occupancy; /* which of them are idle, kept, or busy with long requests */
    size_t kept_open;     /* connections beyond this number are closed when they were idle for long enough */
    double max_idle;      /* seconds of idleness after which one of these is closed */
    double idle_limit;    /* seconds after which the server ends an idle connection: one that has been idle for so long is not chosen */
    double check_idle_at; /* from then on none is chosen until the caller has checked the idle ones */
    bool may_grow;        /* another connection may be opened, or is being opened */
    double growth_pause_end; /* after a failed attempt to open one: until then the open connections are all there are */
    uint32_t random;
    concurrency_limit_t limit;
} dispatcher_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline dispatcher_t *dispatcher_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Whether another connection may be opened now, or is being opened. */
static inline bool dispatcher_may_grow(const dispatcher_t *dispatcher, double now) { return dispatcher->may_grow && now >= dispatcher->growth_pause_end; }

/* The connection at this index. */
static inline connection_t *connection_at(const dispatcher_t *dispatcher, long at) { return connection_of(RARRAY_AREF(dispatcher->states, at)); }

#endif
