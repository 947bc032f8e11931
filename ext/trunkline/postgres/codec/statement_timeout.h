/* statement_timeout for one request: set in its own unit, gone at the unit's end. */
#ifndef TRUNKLINE_STATEMENT_TIMEOUT_H
#define TRUNKLINE_STATEMENT_TIMEOUT_H

#include "session_state.h"

/* Should the server end the request itself when its deadline passes? It costs the server a statement more, so only what may
 * well take so long is limited there. A session of one's own would keep the setting until its transaction ends, and one that
 * prepares nothing has no statement to set it with. */
bool statement_timeout_wanted(const session_state_t *session, const postgres_request_t *request);

/* Prepares what sets the limit, once in a session, in a unit of its own: an error of another statement cannot skip it. */
void statement_timeout_prepare(session_state_t *session, buffer_t *output);

/* Appends what sets the limit, to come before the request's own Bind. False: there is no memory. */
bool statement_timeout_append(buffer_t *output, const postgres_request_t *request);

#endif
