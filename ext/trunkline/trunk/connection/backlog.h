/* The server's estimated backlog on a connection, and whether its head exceeds its estimate. */
#ifndef TRUNKLINE_BACKLOG_H
#define TRUNKLINE_BACKLOG_H

#include "connection.h"

/* Seconds of backlog up to which short requests are sent to a busy connection: SHORT_BACKLOG and the round trip. */
double connection_short_backlog(const connection_t *connection);

/* Estimated seconds until the server has answered everything in flight. An answer that lies unread in the socket does not count as the server's
 * delay. */
double connection_backlog(connection_t *connection, double now);

/* Whether unread bytes lie in the socket. */
bool connection_has_answer(connection_t *connection);

/* Whether the head has exceeded its estimate by so many seconds. */
bool connection_behind_estimate(connection_t *connection, double now, double seconds);

/* Whether the head blocks what is behind it: it takes long, may take long as far as is known, or exceeds its estimate. */
bool connection_head_blocks(connection_t *connection, double now);

/* Seconds until the head blocks, if no answer comes. */
double connection_head_blocks_in(connection_t *connection, double now);

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_backlog(void);

#endif
