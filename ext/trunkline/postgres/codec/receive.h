/* Bytes -> answers of the requests in flight. */
#ifndef TRUNKLINE_RECEIVE_H
#define TRUNKLINE_RECEIVE_H

#include "../session/session_state.h"

/* Decodes each complete message of the input. Requests whose answer is complete become done; of these, those whose waiters were parked are pushed to
 * `woken`. Stops when the session has leaked, or when a caller's portion of rows is full. Raises ProtocolError for malformed bytes: then the session
 * is lost. May run Ruby, where a row's values do: other threads may use the session meanwhile. */
void receive(session_state_t *session, VALUE woken);

#endif
