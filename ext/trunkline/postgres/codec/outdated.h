/* Errors that blame what is remembered of a statement: its name on the server, the types of its parameters, its result. */
#ifndef TRUNKLINE_OUTDATED_H
#define TRUNKLINE_OUTDATED_H

#include "../messages/frame.h"
#include "session_state.h"

#define UNKNOWN_STATEMENT "26000"

/* An ErrorResponse has come before BindComplete: the request is outdated when it was perhaps for what is remembered of its statement,
 * and that is not remembered any more. */
void suspect_statement(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The server does not know what the session keeps prepared for all requests: the request is outdated, and no name is bound any more. */
void suspect_all(session_state_t *session, postgres_request_t *request);

/* One has come behind BindComplete, perhaps for the plan: the session prepares the statement again for its next execution. */
void suspect_plan(session_state_t *session, const postgres_request_t *request, const frame_t *frame);

#endif
