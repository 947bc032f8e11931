/* Messages that may come at any time, whatever is being answered: NoticeResponse, ParameterStatus, NotificationResponse, and the error with
 * which a server ends a session. Of each, no more is kept than max_unrequested says. */
#ifndef TRUNKLINE_ASYNCHRONOUS_H
#define TRUNKLINE_ASYNCHRONOUS_H

#include "../messages/frame.h"
#include "session_state.h"

/* False: the message is none of these, and answers something. */
bool asynchronous(session_state_t *session, const frame_t *frame);

/* After so many bytes were taken in: is the server sending notices one by one, faster than it pays to read each? */
bool asynchronous_trickles(const session_state_t *session, size_t received);

/* The request that the server works on: itself, or the one within a unit of several. */
postgres_request_t *current(postgres_request_t *request);

/* The last notice of an answer, of which some were left out, says how many. */
void notices_end(session_state_t *session, postgres_request_t *request);

/* Bodies of the notifications since this was last asked, as an Array, with nil first where some were left out before them. */
VALUE notifications_taken(session_state_t *session);

#endif
