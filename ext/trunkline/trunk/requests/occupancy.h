/* The account of a set of connections: which are idle, kept for a caller, or busy with long requests. Each connection updates the account that it was
 * added to, and does not depend on what chooses among them. Nothing here calls Ruby. */
#ifndef TRUNKLINE_OCCUPANCY_H
#define TRUNKLINE_OCCUPANCY_H

#include <ruby.h>
#include <stdbool.h>

struct request;

/* One connection's entry in the account. Only the functions here change it, except for the index. Initialised with zeroes. */
typedef struct occupant {
    VALUE owner;                  /* the object that holds the account; marked by the connection. false: it was added to none */
    struct occupancy *occupancy;  /* the owner's, or NULL */
    size_t index;                 /* of the connection in the owner's list; the owner sets it */
    const struct request *kept;   /* the idle connection is kept for this request, whose waiter is active and was woken to use it; or NULL */
    struct occupant *older;       /* neighbours in the ring of idle connections; NULL when busy or kept */
    struct occupant *newer;
} occupant_t;

/* Owned by what chooses among the connections. Each entry that was added points to it. */
typedef struct occupancy {
    occupant_t idle;   /* the ring's anchor: idle.newer has been idle for longest, idle.older is the newest */
    size_t idle_count;
    size_t kept;       /* idle connections that are kept for a caller, and not in the ring */
    size_t longs;      /* connections with a long request in flight */
} occupancy_t;

/* Initialises a newly allocated account. */
void occupancy_begin(occupancy_t *occupancy);

/* Adds a connection. `owner`: the object that holds the account. */
void occupancy_add(occupancy_t *occupancy, VALUE owner, occupant_t *occupant, bool is_idle, bool has_long);

/* Removes a connection that was added. The counts of kept connections and of those with long requests stay: see occupancy_restart. */
void occupancy_remove(occupancy_t *occupancy, occupant_t *occupant);

/* After all connections were removed: resets the counts. */
static inline void occupancy_restart(occupancy_t *occupancy) { occupancy->kept = occupancy->longs = 0; }

/* Called when the idle connection gets a request; when its last request was answered; when its first long request came or its last one was answered.
 * They do nothing for a connection that was added to no account. */
void occupancy_note_busy(occupant_t *occupant);
void occupancy_note_idle(occupant_t *occupant);
void occupancy_note_long(const occupant_t *occupant, bool has_one);

/* Keeps the idle connection, which was added, for this request: it is not chosen for others until the request is sent there or does without. The
 * request must live until then. */
void occupancy_keep(occupant_t *occupant, const struct request *request);

/* The request does without the connection that was kept for it. Nothing happens if it was not kept for this request. */
void occupancy_keep_no_more(occupant_t *occupant, const struct request *request);

/* Connections with a long request in flight in the account that this one was added to; 0 without one. */
size_t occupancy_count_longs(const occupant_t *occupant);

/* Connections with a long request in flight, or kept for one. */
static inline size_t occupancy_running(const occupancy_t *occupancy) { return occupancy->longs + occupancy->kept; }

#endif
