/* What an ErrorResponse means for the request at the head of the FIFO, and for its session. */
#ifndef TRUNKLINE_ERROR_ANSWER_H
#define TRUNKLINE_ERROR_ANSWER_H

#include "../messages/frame.h"
#include "../session/postgres_request.h"
#include "../session/session_state.h"

#define QUERY_CANCELLED "57014"
#define READ_ONLY "25006"

/* Stores the first error on the request, and a fatal one on the session. Determines whether the server had begun with the request, whether a cancel
 * aimed at another request has hit it, and whether the error may be due to what the client remembers of its statement. Runs no Ruby but the
 * allocator. */
void error_answer_take(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The same for messages that the codec has sent on its own account: stores a fatal error on the session. Runs no Ruby but the allocator. */
void error_answer_take_own(session_state_t *session, const frame_t *frame);

#endif
