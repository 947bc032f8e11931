/* What commands do to prepared statements: those of this session, or of all sessions. Nothing here runs Ruby. */
#ifndef TRUNKLINE_COMMAND_EFFECT_H
#define TRUNKLINE_COMMAND_EFFECT_H

#include "session_state.h"

/* A command has ended with that tag. own: what it defines is its session's own, as a temporary table is, and changes nothing for others. */
void command_effect_note(session_state_t *session, const char *tag, size_t length, bool own);

/* ReadyForQuery has come. With the transaction its changes of the schema come to light, or are undone: what was prepared meanwhile is old
 * either way. */
void command_effect_status(session_state_t *session, char status);

#endif
