/* What shows, where the classifier did not see it, that a session which others share holds what they must not find. It is not much: a
 * function can leave a lock or most settings behind without a word. */
#ifndef TRUNKLINE_LEAK_H
#define TRUNKLINE_LEAK_H

#include "session_state.h"

/* A command has ended with this tag. */
void leak_watch_tag(session_state_t *session, const char *tag, size_t length);

/* The server reports a setting; in answer to a request, or else on its own account. */
void leak_watch_setting(session_state_t *session, VALUE name, VALUE value, bool answering);

/* Has a setting changed, since the session became one caller's own or its last answer began, and not come back? */
bool leak_settings_altered(const session_state_t *session);

/* A unit has ended with this transaction status. Returns what it has left behind, and stores an Array of the setting's name and its value
 * for LEAK_SETTING, else nil. */
leak_t leak_found(session_state_t *session, char status, VALUE *altered);

#endif
