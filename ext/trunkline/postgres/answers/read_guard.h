/* A statement that fails on a replica which is unsuitable for a read. It runs in the read's unit, directly before the read, so that this does not run
 * then.
 *
 * In Ruby it is a frozen Array: its number, below READ_GUARDS; its SQL; the types of its parameters, Array of OIDs; their texts, Array of String.
 * Guards of one number differ only in the texts: so a session prepares each number once, and its plan is kept. */
#ifndef TRUNKLINE_READ_GUARD_H
#define TRUNKLINE_READ_GUARD_H

#include "../messages/frame.h"
#include "../session/session_state.h"

/* Numbers of guards: a bit of session_state_t's `guards` for each. ReadGuard in Ruby has three. */
#define READ_GUARDS 8

/* Whether the session keeps prepared statements. Otherwise the guard's SQL is sent each time. */
static inline bool read_guard_is_kept(const session_state_t *session) { return session->prefix[0] != 0; }

/* Prepares the request's guard, if it has one, once per session, in a separate unit, so that an error of another statement cannot skip it. */
void read_guard_prepare(session_state_t *session, buffer_t *output, const postgres_request_t *request);

/* Appends the messages that run it. False: there is no memory, or one is too long. */
bool read_guard_append(const session_state_t *session, buffer_t *output, const postgres_request_t *request);

/* Whether the request's error means that the server has lost the prepared guard. */
bool read_guard_is_lost(const postgres_request_t *request, const frame_t *frame);

/* Defines Request#guard=, for an existing class Request; called once, as the extension is loaded. */
void Init_trunkline_read_guard(void);

#endif
