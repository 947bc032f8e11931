/* Bytes -> answers of the requests in flight. */
#ifndef TRUNKLINE_RECEIVE_H
#define TRUNKLINE_RECEIVE_H

#include "session_state.h"

/* Takes in every whole message of the input. Requests whose answer is complete are done; of these, those whose waiters
 * were parked are pushed to `woken`. Goes no further when the session has leaked, or when a caller has its portion of rows. Raises ProtocolError when the bytes make no sense: then the session is lost. */
void receive(session_state_t *session, VALUE woken);

#endif
