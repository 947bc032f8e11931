#ifndef TRUNKLINE_ENDED_SCHEDULER_H
#define TRUNKLINE_ENDED_SCHEDULER_H

#include "connection.h"

/* Whether fibers of the scheduler, which is that thread's, will never go on: their thread has ended, or it is the calling one and goes on without that
 * scheduler. Calls Ruby, so other threads may run, and an interrupt may be raised. */
bool scheduler_has_ended(VALUE scheduler, VALUE thread);

/* Where the scheduler of all active callers has ended, they are active no more. True: so it was. Calls Ruby: what was read of any connection
 * or dispatcher before may have changed. So it is called before such a look, never in the middle of one. */
bool connection_forget_dropped(connection_t *connection);

/* The same where callers of another scheduler than this one are active. */
static inline void connection_forget_other_dropped(connection_t *connection, VALUE scheduler) {
    if (connection->active > 0 && connection->scheduler != scheduler) connection_forget_dropped(connection);
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_ended_scheduler(void);

#endif
