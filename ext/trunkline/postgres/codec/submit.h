/* Requests -> bytes, in the order in which their answers will come. */
#ifndef TRUNKLINE_SUBMIT_H
#define TRUNKLINE_SUBMIT_H

#include "../session/session_state.h"

/* Appends the request's messages to the output, and the request to the FIFO; or raises, with nothing changed. False: the session is closed, or the
 * request's deadline has passed. */
bool submit(session_state_t *session, VALUE request);

/* Removes the request's Bind and Execute from the output; the rest of its unit stays, as requests behind may use what it prepares. False: some byte
 * of them may have been sent. */
bool withdraw(session_state_t *session, VALUE request, VALUE failure);

/* Appends Terminate and takes no more requests. */
void submit_terminate(session_state_t *session);

#endif
