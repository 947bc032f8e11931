/* Values whose form depends on the types of their parameters are written before the session has described the statement: for the types that another
 * session had, perhaps before another program changed a column. In the unit that prepares the statement, before Bind, the server compares these types
 * with those that it has just determined itself, and fails if they differ. */
#ifndef TRUNKLINE_TYPES_CHECK_H
#define TRUNKLINE_TYPES_CHECK_H

#include "../messages/frame.h"
#include "../session/session_state.h"

/* Whether the request's values were written for certain types, and the session can compare these: it keeps what it prepares, as one behind a pooler
 * may not, and the statement may run behind another one in its unit. */
bool types_check_possible(const session_state_t *session, const postgres_request_t *request);

/* Prepares the query that compares types, once per session, in a separate unit, so that an error of another statement cannot skip it. */
void types_check_prepare(session_state_t *session, buffer_t *output);

/* Appends the messages that run it. False: there is no memory, or one is too long. */
bool types_check_append(buffer_t *output, const postgres_request_t *request, span_t name);

/* Takes the error of a request whose comparison was not answered. True: the types differ. */
bool types_check_failed(session_state_t *session, const postgres_request_t *request, const frame_t *frame);

#endif
