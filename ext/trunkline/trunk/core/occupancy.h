/* Which of a set of connections are idle, kept for a caller, or work on long requests. Each connection tells the occupancy that it was added
 * to, and knows nothing of what chooses among them. Nothing here calls Ruby. */
#ifndef TRUNKLINE_OCCUPANCY_H
#define TRUNKLINE_OCCUPANCY_H

#include <ruby.h>
#include <stdbool.h>

struct request;

/* One connection's part in an occupancy. The functions here alone change it, but for the index; all zero at first. */
typedef struct occupant {
    VALUE owner;                  /* the object that holds the occupancy; marked by the connection. false: it was added nowhere */
    struct occupancy *occupancy;  /* the owner's, or NULL */
    size_t index;                 /* of the connection among those that the owner chooses among: the owner sets it */
    const struct request *kept;   /* the idle connection is kept for that one, whose waiter is active and on its way; or NULL */
    struct occupant *older;       /* neighbours among the idle ones; none when busy or kept */
    struct occupant *newer;
} occupant_t;

/* Owned by what chooses among the connections. An occupant that was added refers to it. */
typedef struct occupancy {
    occupant_t idle;   /* the ring's anchor: idle.newer has been idle for longest, idle.older is the newest */
    size_t idle_count;
    size_t kept;       /* idle connections that are not among these, as a caller is on its way to each */
    size_t longs;      /* connections with a long request in flight */
} occupancy_t;

/* Of one that was just allocated. */
void occupancy_begin(occupancy_t *occupancy);

/* `owner`: the object that holds the occupancy. */
void occupancy_add(occupancy_t *occupancy, VALUE owner, occupant_t *occupant, bool is_idle, bool has_long);

/* Of an occupant that was added. The counts of kept and long ones stay: see occupancy_restart. */
void occupancy_remove(occupancy_t *occupancy, occupant_t *occupant);

/* All were removed, and none of them counts any more. */
static inline void occupancy_restart(occupancy_t *occupancy) { occupancy->kept = occupancy->longs = 0; }

/* A request comes to the idle connection; its last one was answered; its first long one came, or the last long one was answered. Of an occupant
 * that was added nowhere, nothing is noted. */
void occupancy_note_busy(occupant_t *occupant);
void occupancy_note_idle(occupant_t *occupant);
void occupancy_note_long(const occupant_t *occupant, bool has_one);

/* The idle connection, which was added, is not chosen for other requests until this one comes or does without. The request must outlive that. */
void occupancy_keep(occupant_t *occupant, const struct request *request);

/* The request that it was kept for does without it; for any other, nothing happens. */
void occupancy_keep_no_more(occupant_t *occupant, const struct request *request);

/* Connections with a long request in flight, among those that this one was added to; 0: to none. */
size_t occupancy_count_longs(const occupant_t *occupant);

/* Connections with a long request in flight, or on its way. */
static inline size_t occupancy_running(const occupancy_t *occupancy) { return occupancy->longs + occupancy->kept; }

#endif
