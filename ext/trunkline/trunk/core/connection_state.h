/* Trunkline::ConnectionState: what Ruby sees and changes of a connection. */
#ifndef TRUNKLINE_CONNECTION_STATE_H
#define TRUNKLINE_CONNECTION_STATE_H

#include "connection.h"

/* The request's waiter is active from now on. False: the trunk is busy for callers of another scheduler, or shut. Calls Ruby before it changes
 * anything. */
bool connection_enter(connection_t *connection, VALUE request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_state(void);

#endif
