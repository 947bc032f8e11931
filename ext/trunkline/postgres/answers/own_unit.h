/* Messages up to a Sync (a unit) that the codec sends on its own account, between those of requests: Close of statements, Parse of the one that sets
 * a timeout for others, DISCARD PLANS. In the FIFO they are nil. */
#ifndef TRUNKLINE_OWN_UNIT_H
#define TRUNKLINE_OWN_UNIT_H

#include "../messages/frame.h"
#include "../session/session_state.h"

/* Called when so many Close messages and Sync were appended to the output. */
void own_unit_of_closes(session_state_t *session, long closes);

/* Called when Parse and Sync were appended. */
void own_unit_of_parse(session_state_t *session);

/* Called when a simple Query of one command without rows was appended. */
void own_unit_of_command(session_state_t *session);

/* Takes a message for the oldest unit. Raises ProtocolError for one that its messages do not cause. */
void own_unit_answer(session_state_t *session, const frame_t *frame);

/* Whether ReadyForQuery may come for the oldest unit. */
bool own_unit_is_complete(const session_state_t *session);

/* Called when it has come. */
void own_unit_end(session_state_t *session);

#endif
