/* Messages that may come at any time: NoticeResponse, ParameterStatus, NotificationResponse, and the error with which a server ends a session. The
 * client keeps max_unrequested bytes of each at most. */
#ifndef TRUNKLINE_ASYNCHRONOUS_H
#define TRUNKLINE_ASYNCHRONOUS_H

#include "../messages/frame.h"
#include "../session/session_state.h"

/* Takes such a message. False: it is of another type, and answers a request. */
bool asynchronous_take(session_state_t *session, const frame_t *frame);

/* Whether the server has sent so many notices in a row that more are expected. */
bool asynchronous_floods(const session_state_t *session);

/* Called after so many bytes were decoded: whether it sends them one by one, faster than it pays to read each. */
bool asynchronous_trickles(const session_state_t *session, size_t received);

/* The request that the server works on: the given one, or, of an atomic batch, the member that is being answered. */
postgres_request_t *member_in_progress(postgres_request_t *request);

/* Adds a notice with the number of notices that were left out. */
void notices_end(session_state_t *session, postgres_request_t *request);

/* Bodies of the notifications since the last call, as an Array, with nil first where earlier ones were left out. */
VALUE notifications_taken(session_state_t *session);

#endif
