/* What an ErrorResponse means for the request at the head of the queue, and for its session. */
#ifndef TRUNKLINE_ERROR_ANSWER_H
#define TRUNKLINE_ERROR_ANSWER_H

#include "../messages/frame.h"
#include "postgres_request.h"
#include "session_state.h"

#define QUERY_CANCELLED "57014"
#define READ_ONLY "25006"

/* Keeps the first error on the request, and a fatal one on the session as its server's farewell. Tells whether the request was begun, met a
 * cancel that was aimed at another one, or blames what is remembered of its statement. Runs no Ruby but the allocator. */
void error_answer_take(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The same of a unit that the codec sent on its own account, before any request in flight: keeps a fatal one as the server's farewell. Runs no
 * Ruby but the allocator. */
void error_answer_take_own(session_state_t *session, const frame_t *frame);

#endif
