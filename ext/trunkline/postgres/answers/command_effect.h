/* What commands do to prepared statements of this session, or of all sessions. Nothing here runs Ruby. */
#ifndef TRUNKLINE_COMMAND_EFFECT_H
#define TRUNKLINE_COMMAND_EFFECT_H

#include "../session/session_state.h"

/* Called for CommandComplete with this tag. own: what the command defines belongs to its session, as a temporary table does, and changes nothing for
 * others. */
void command_effect_note(session_state_t *session, const char *tag, size_t length, bool own);

/* Called for ReadyForQuery. At the end of a transaction its changes of the schema become visible, or are undone: statements that were prepared
 * meanwhile are outdated either way. */
void command_effect_status(session_state_t *session, char status);

#endif
