/* The settings that parse analysis reads in a server session: search_path, role, TimeZone, ... decide what SQL means there. A number for each
 * such context: 0 is the one that the connection was opened with, others come from parse_context_next.
 *
 * A prepared statement belongs to the context in which it was parsed, and is bound in no other one. What functions keep (PL/pgSQL its
 * plans, with the constants in them) belongs to the server session: where the next unit reads settings otherwise than those before, the
 * server drops them first.
 *
 * No function here runs Ruby but those of Init_trunkline_parse_context. */
#ifndef TRUNKLINE_PARSE_CONTEXT_H
#define TRUNKLINE_PARSE_CONTEXT_H

#include "session_state.h"
#include "statement.h"

/* A number that no context has had. */
uint64_t parse_context_next(void);

/* In which the session reads the statement: in its own, once that was changed for its one caller; else in the statement's, whose settings
 * travel with it. */
static inline uint64_t parse_context_of(const session_state_t *session, const statement_t *statement) {
    return session->parse_context ? session->parse_context : statement->parse_context;
}

/* Does what the client remembers of the statement hold in this session? */
static inline bool parse_context_is_statements(const session_state_t *session, const statement_t *statement) {
    return parse_context_of(session, statement) == statement->parse_context;
}

/* The session, one caller's own, reads SQL in a way from now on that it has never read it; also what functions keep, where `plans`. */
void parse_context_change(session_state_t *session, bool plans);

/* The server reports a setting of the session, one caller's own, in answer to a request. */
void parse_context_watch_setting(session_state_t *session, const char *name);

/* What a unit has announced to change is changed when it ends. */
static inline void parse_context_settled(session_state_t *session) { session->context_announced = false; }

/* Must the server drop what functions keep, before a unit with the statement (NULL: none)? The caller sends that unit first. */
static inline bool parse_context_needs_other_plans(session_state_t *session, const statement_t *statement) {
    uint64_t wanted = session->parse_context ? session->own_plans : statement ? statement->plans : 0;
    if (session->plans == wanted) return false;
    session->plans = wanted;
    return true;
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_parse_context(void);

#endif
