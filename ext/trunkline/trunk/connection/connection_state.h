/* Trunkline::ConnectionState: a connection's state, as Ruby reads and changes it. */
#ifndef TRUNKLINE_CONNECTION_STATE_H
#define TRUNKLINE_CONNECTION_STATE_H

#include "connection.h"

/* Makes the request's waiter active. False: callers of another scheduler are active, or the connection takes no new requests. Calls Ruby before it
 * changes anything. */
bool connection_enter(connection_t *connection, VALUE request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_state(void);

#endif
