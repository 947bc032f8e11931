/* statement_timeout for one request: set in its own unit, gone at the unit's end. */
#ifndef TRUNKLINE_STATEMENT_TIMEOUT_H
#define TRUNKLINE_STATEMENT_TIMEOUT_H

#include "../session/session_state.h"

/* Whether the server should end the request itself at its deadline. That takes it one more statement, so only requests that may well take so long get
 * a timeout. In a reserved session the setting would last until its transaction ends, and a session that prepares nothing has no statement to set it
 * with. */
bool statement_timeout_wanted(const session_state_t *session, const postgres_request_t *request);

/* Prepares the statement that sets the timeout, once per session, in a separate unit, so that an error of another statement cannot skip it. */
void statement_timeout_prepare(session_state_t *session, buffer_t *output);

/* Appends the messages that set the timeout, before the request's own Bind. False: there is no memory. */
bool statement_timeout_append(buffer_t *output, const postgres_request_t *request);

#endif
