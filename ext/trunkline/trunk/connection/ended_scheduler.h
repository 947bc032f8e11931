#ifndef TRUNKLINE_ENDED_SCHEDULER_H
#define TRUNKLINE_ENDED_SCHEDULER_H

#include "connection.h"

/* Whether fibers of the scheduler, which is that thread's, will never run again: their thread has ended, or it is the calling one and runs without
 * that scheduler. Calls Ruby, so other threads may run, and an interrupt may be raised. */
bool scheduler_has_ended(VALUE scheduler, VALUE thread);

/* If the scheduler of all active callers has ended, forgets them. True: it had. Calls Ruby, so what was read of any connection or dispatcher before
 * may have changed: callers call this before they read, never in between. */
bool connection_forget_dropped(connection_t *connection);

/* The same, but only if callers of another scheduler than this one are active: then it calls Ruby. */
static inline void connection_forget_other_dropped(connection_t *connection, VALUE scheduler) {
    if (connection->active > 0 && connection->scheduler != scheduler) connection_forget_dropped(connection);
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_ended_scheduler(void);

#endif
