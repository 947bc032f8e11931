/* Units that the codec sends on its own account, between those of requests: Close of statements, Parse of the one that limits
 * others' time, DISCARD PLANS. They are in flight as nil. */
#ifndef TRUNKLINE_OWN_UNIT_H
#define TRUNKLINE_OWN_UNIT_H

#include "../messages/frame.h"
#include "session_state.h"

/* One was appended to the output: so many Close messages and Sync. */
void own_unit_of_closes(session_state_t *session, long closes);

/* One was appended to the output: Parse and Sync. */
void own_unit_of_parse(session_state_t *session);

/* One was appended to the output: a simple query of one command without rows. */
void own_unit_of_command(session_state_t *session);

/* A message has come that is for the oldest one. Raises ProtocolError where it was not asked for. */
void own_unit_answer(session_state_t *session, const frame_t *frame);

/* May ReadyForQuery come for the oldest one? */
bool own_unit_is_complete(const session_state_t *session);

/* It has come. */
void own_unit_end(session_state_t *session);

#endif
