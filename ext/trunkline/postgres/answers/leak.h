/* Detects state that a statement has left behind on a shared session although the classifier did not expect it. Not all can be detected: a function
 * can leave a lock or most settings behind without any message. */
#ifndef TRUNKLINE_LEAK_H
#define TRUNKLINE_LEAK_H

#include "../session/session_state.h"

/* Called for CommandComplete with this tag. */
void leak_watch_tag(session_state_t *session, const char *tag, size_t length);

/* Called for ParameterStatus; answering: a request is in flight, so its statement may have changed the setting. */
void leak_watch_setting(session_state_t *session, VALUE name, VALUE value, bool answering);

/* Whether a setting differs from its first value, since the session was reserved for one caller or its last answer began. */
bool leak_settings_altered(const session_state_t *session);

/* Called for ReadyForQuery with this transaction status. Returns what the statements have left behind, and stores an Array of the setting's name and
 * value for LEAK_SETTING, else nil. */
leak_t leak_found(session_state_t *session, char status, VALUE *altered);

#endif
