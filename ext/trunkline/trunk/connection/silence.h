/* For how long a connection's server has sent nothing while it owed an answer, and when the leader probes whether it is there: part of
 * Trunkline::ConnectionState. Where it does not probe, `after` is INFINITY, and nothing here reads the clock. */
#ifndef TRUNKLINE_SILENCE_H
#define TRUNKLINE_SILENCE_H

#include "connection.h"

/* When the next probe is due, on the monotonic clock; INFINITY: never. Called as the leader goes to sleep. */
double silence_due(connection_t *connection);

/* Whether a probe is due. */
bool silence_is_due(connection_t *connection);

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_silence(void);

#endif
