/* Which of a set of connections are idle, kept for a caller, or work on long requests. Each in-flight FIFO tells the occupancy that it was added
 * to, and knows nothing of what chooses among the connections. Nothing here calls Ruby. */
#ifndef TRUNKLINE_OCCUPANCY_H
#define TRUNKLINE_OCCUPANCY_H

#include "fifo.h"

struct request;

/* Owned by what chooses among the connections. A FIFO that was added refers to it, and marks its owner. */
typedef struct occupancy {
    fifo_t idle;       /* the ring's anchor: idle.newer has been idle for longest, idle.older is the newest */
    size_t idle_count;
    size_t kept;       /* idle connections that are not among these, as a caller is on its way to each */
    size_t longs;      /* connections with a long request in flight */
} occupancy_t;

/* Of one that was just allocated. */
void occupancy_begin(occupancy_t *occupancy);

/* `owner`: the object that holds the occupancy. */
void occupancy_add(occupancy_t *occupancy, VALUE owner, fifo_t *fifo);

/* Of the FIFO, which was added. The counts of kept and long ones stay: see occupancy_restart. */
void occupancy_remove(occupancy_t *occupancy, fifo_t *fifo);

/* All were removed, and none of them counts any more. */
static inline void occupancy_restart(occupancy_t *occupancy) { occupancy->kept = occupancy->longs = 0; }

/* A request comes to the idle FIFO; its last one was answered; its first long one came, or the last long one was answered. Of a FIFO that was
 * added nowhere, nothing is noted. */
void occupancy_note_busy(fifo_t *fifo);
void occupancy_note_idle(fifo_t *fifo);
void occupancy_note_long(fifo_t *fifo, bool has_one);

/* The idle FIFO, which was added, is not chosen for other requests until this one comes or does without. The request must outlive that. */
void occupancy_keep(fifo_t *fifo, const struct request *request);

/* The request that it was kept for does without it; for any other, nothing happens. */
void occupancy_keep_no_more(fifo_t *fifo, const struct request *request);

/* Connections with a long request in flight, among those that this one was added to; 0: to none. */
size_t occupancy_count_longs(const fifo_t *fifo);

/* Connections with a long request in flight, or on its way. */
static inline size_t occupancy_running(const occupancy_t *occupancy) { return occupancy->longs + occupancy->kept; }

#endif
