/* What a replica refuses a read by that it does not suit for: a statement that is run last before the read's own, in its unit, and fails there.
 *
 * In Ruby it is a frozen Array: its number, below READ_GUARDS; its SQL; the types of its parameters, Array of OIDs; their texts, Array of
 * String. Guards of one number differ in nothing but the texts: so a session prepares each number once, and its plan is kept. */
#ifndef TRUNKLINE_READ_GUARD_H
#define TRUNKLINE_READ_GUARD_H

#include "../messages/frame.h"
#include "session_state.h"

#define READ_GUARDS 8

/* Does the session keep what it prepares? One that does not gets the SQL each time. */
static inline bool read_guard_is_kept(const session_state_t *session) { return session->prefix[0] != 0; }

/* Prepares the request's guard, where it has one, once in a session, in a unit of its own: an error of another statement cannot skip it. */
void read_guard_prepare(session_state_t *session, buffer_t *output, const postgres_request_t *request);

/* Appends what runs it. False: there is no memory, or it is too long. */
bool read_guard_append(const session_state_t *session, buffer_t *output, const postgres_request_t *request);

/* Does the error that has come for the request say that the server does not know the guard any more? */
bool read_guard_is_lost(const postgres_request_t *request, const frame_t *frame);

/* Defines Request#guard=, for an existing class Request; called once, as the extension is loaded. */
void Init_trunkline_read_guard(void);

#endif
