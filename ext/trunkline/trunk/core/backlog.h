/* Seconds of work that lie before a connection's server, and whether it takes longer for it than was expected. */
#ifndef TRUNKLINE_BACKLOG_H
#define TRUNKLINE_BACKLOG_H

#include "connection.h"

/* Seconds of backlog up to which short requests join: a little, and what is on the way meanwhile. */
double connection_enough(const connection_t *connection);

/* Seconds until the server will be through. Of an answer that lies there unread the server is innocent. */
double connection_backlog(connection_t *connection, double now);

/* Whether something lies in the socket that is not read yet. */
bool connection_has_answer(connection_t *connection);

/* Whether the server works on its oldest request for so many seconds longer than was expected. */
bool connection_behind_estimate(connection_t *connection, double now, double seconds);

/* Whether the server works on a request that takes long, may take long for all that is known, or takes longer than expected. */
bool connection_is_held_up(connection_t *connection, double now);

/* Seconds until that is so, if no answer comes. */
double connection_held_up_in(connection_t *connection, double now);

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_backlog(void);

#endif
