/* For how long the server of a connection has said nothing while it owed an answer, and when that is to be looked into: part of
 * Trunkline::ConnectionState. Where it is not looked into, `after` is INFINITY, and nothing here looks at the clock. */
#ifndef TRUNKLINE_SILENCE_H
#define TRUNKLINE_SILENCE_H

#include "connection.h"

/* When the silence is looked into, on the one clock; INFINITY: never. Called as the leader goes to sleep. */
double silence_due(connection_t *connection);

/* Whether it is time to look into it. */
bool silence_is_due(connection_t *connection);

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_silence(void);

#endif
