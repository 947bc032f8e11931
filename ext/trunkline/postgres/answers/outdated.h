/* Errors that may be due to what the client remembers of a statement: its name on the server, the types of its parameters, its result. */
#ifndef TRUNKLINE_OUTDATED_H
#define TRUNKLINE_OUTDATED_H

#include "../messages/frame.h"
#include "../session/session_state.h"

#define UNKNOWN_STATEMENT "26000"

/* Called for an ErrorResponse before BindComplete. If the error may be due to what is remembered of its statement, the request is outdated, and that
 * is forgotten. */
void suspect_statement(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The server has lost a statement that the session keeps prepared for all requests: the request is outdated, and the session prepares all its
 * statements again. */
void suspect_all(session_state_t *session, postgres_request_t *request);

/* Called for an ErrorResponse after BindComplete. If it may be due to the plan, the session prepares the statement again for its next execution. */
void suspect_plan(session_state_t *session, const postgres_request_t *request, const frame_t *frame);

#endif
