#include "leak.h"

#include <ruby/encoding.h>
#include "../messages/command_tag.h"

/* Reported settings of a session. Whether the server is a standby, or read-only, may change for all sessions at once, and not because of a statement. */
static const char *const guarded[] = {
    "DateStyle", "IntervalStyle", "TimeZone", "application_name", "client_encoding", "is_superuser", "scram_iterations", "search_path",
    "session_authorization", "standard_conforming_strings",
};

void leak_watch_tag(session_state_t *session, const char *tag, size_t length) {
    if (!session->exclusive && command_tag_shows_state(tag, length)) session->tag_shows_state = true;
}

void leak_watch_setting(session_state_t *session, VALUE name, VALUE value, bool answering) {
    if (answering) session->reported = true;
    else rb_hash_aset(session->initial_parameters, name, value);
}

/* A setting whose value is not the one that the session was opened with, and its value; or nil. */
static VALUE altered_setting(const session_state_t *session) {
    for (size_t at = 0; at < sizeof guarded / sizeof *guarded; at++) {
        VALUE name = rb_enc_interned_str_cstr(guarded[at], rb_utf8_encoding()), value = rb_hash_lookup(session->parameters, name);
        if (!RTEST(rb_equal(value, rb_hash_lookup(session->initial_parameters, name)))) return rb_assoc_new(name, value);
    }
    return Qnil;
}

bool leak_settings_altered(const session_state_t *session) { return session->reported && !NIL_P(altered_setting(session)); }

leak_t leak_found(session_state_t *session, char status, VALUE *altered) {
    *altered = Qnil;
    if (session->exclusive) return LEAK_NONE;
    leak_t leak = status != 'I' || session->tag_shows_state ? LEAK_STATE : LEAK_NONE;
    if (leak == LEAK_NONE && session->reported && !NIL_P(*altered = altered_setting(session))) leak = LEAK_SETTING;
    session->tag_shows_state = session->reported = false;
    if (leak != LEAK_NONE) session->leaked = session->halted = true;
    return leak;
}
