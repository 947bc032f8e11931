/* The settings that parse analysis reads in a server session: search_path, role, TimeZone, ... decide what SQL means there. Each combination of them
 * is a parse context and has a number: 0 is the one that the connection was opened with, others come from parse_context_next.
 *
 * A prepared statement belongs to the context in which it was parsed, and is bound in no other one. What functions keep (PL/pgSQL its plans, with the
 * constants in them) belongs to the server session: before a unit under other settings, the client has the server discard it.
 *
 * No function here runs Ruby but those of Init_trunkline_parse_context. */
#ifndef TRUNKLINE_PARSE_CONTEXT_H
#define TRUNKLINE_PARSE_CONTEXT_H

#include "session_state.h"
#include "../statements/statement.h"

/* A new context's number. */
uint64_t parse_context_next(void);

/* The context in which the session parses the statement: the session's own, if its one caller has changed it; else the statement's, whose settings
 * are sent with it. */
static inline uint64_t parse_context_of(const session_state_t *session, const statement_t *statement) {
    return session->parse_context ? session->parse_context : statement->parse_context;
}

/* Whether what the client remembers of the statement is valid in this session. */
static inline bool parse_context_is_statements(const session_state_t *session, const statement_t *statement) {
    return parse_context_of(session, statement) == statement->parse_context;
}

/* Gives the session, which is reserved for one caller, a new context; with `plans` also a new one for the plans that functions keep. */
void parse_context_change(session_state_t *session, bool plans);

/* Called for ParameterStatus in answer to a request of a session that is reserved for one caller. */
void parse_context_watch_setting(session_state_t *session, const char *name);

/* Called at the end of a unit: the context that it was to set is set. */
static inline void parse_context_settled(session_state_t *session) { session->context_announced = false; }

/* Whether the server must discard the plans that functions keep before a unit with this statement (NULL: none). If so, the caller sends that command
 * first. */
static inline bool parse_context_needs_other_plans(session_state_t *session, const statement_t *statement) {
    uint64_t wanted = session->parse_context ? session->own_plans : statement ? statement->plans : 0;
    if (session->plans == wanted) return false;
    session->plans = wanted;
    return true;
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_parse_context(void);

#endif
