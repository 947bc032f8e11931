#include "outdated.h"

#include "../messages/error_code.h"
#include "../statements/plan_epoch.h"
#include "../statements/statement.h"
#include "types_check.h"

#define NAME_IN_USE "42P05"
#define CHANGED_RESULT "0A000" /* is the one error of this code that comes before BindComplete */

static bool has_code(const frame_t *frame, const char *code) { return error_code_begins(frame->body, frame->length, code); }

/* Errors for a statement that the server has lost, or whose plan or parameter types no longer fit, because its tables, types or functions have
 * changed since; and for values for which preparing again would not help. */
static bool blames_statement(const frame_t *frame) {
    static const char *const codes[] = {UNKNOWN_STATEMENT, CHANGED_RESULT, "22", "42", "XX000"};
    for (size_t at = 0; at < sizeof codes / sizeof *codes; at++) {
        if (has_code(frame, codes[at])) return true;
    }
    return false;
}

/* The server parses the SQL differently from stored_columns.c and compared_columns.c: the statement is prepared again, without a column check. */
static void drop_column_check(session_state_t *session, postgres_request_t *request) {
    statement_of(request->statement)->column_check = statement_of(request->statement)->compared = Qnil;
    slots_drop(session, request->sent.prepared);
    request->outcome.outdated = request->outcome.forgotten = true;
}

/* A prepared statement is lost: so may be the others. */
static void forget_all(session_state_t *session) {
    slots_forget(session);
    session->pooled = true; /* or a statement has deallocated it, which is rare */
}

void suspect_all(session_state_t *session, postgres_request_t *request) {
    forget_all(session);
    request->outcome.outdated = request->outcome.forgotten = true;
}

/* The parameters have other types than those that the values were written for. */
static void suspect_types(session_state_t *session, postgres_request_t *request) {
    slots_drop(session, request->sent.prepared);
    statement_of(request->statement)->known = false;
    request->outcome.outdated = request->outcome.forgotten = true;
}

void suspect_statement(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (types_check_failed(session, request, frame)) return suspect_types(session, request);
    if (request->answer.order.stage == STAGE_CHECK_PARSE && blames_statement(frame)) return drop_column_check(session, request);
    const prepared_t *prepared = prepared_of(request->sent.prepared);
    bool parse_failed = request->sent.parses && !prepared->parsed, suspect = !answer_order_in_preamble(&request->answer.order) && blames_statement(frame);
    if (suspect && prepared->parsed && has_code(frame, UNKNOWN_STATEMENT)) {
        forget_all(session);
    } else if (parse_failed || suspect) {
        slots_drop(session, request->sent.prepared);
    }
    /* A plan that was just made cannot raise this: a pooler has put a statement of another session in its place. */
    bool replaced = prepared->parsed && has_code(frame, CHANGED_RESULT) && error_comes_from(frame->body, frame->length, "RevalidateCachedQuery");
    request->outcome.outdated = suspect && (!request->sent.parses || request->sent.types_declared || replaced || has_code(frame, NAME_IN_USE));
    if (!request->outcome.outdated) return;
    request->outcome.forgotten = has_code(frame, UNKNOWN_STATEMENT) || has_code(frame, CHANGED_RESULT);
    if (has_code(frame, CHANGED_RESULT)) plan_epoch_end(session->epoch, prepared->epoch);
    if (!has_code(frame, UNKNOWN_STATEMENT)) statement_of(request->statement)->known = false;
}

/* A plan for what a function returned before, or for a table that it reads, fails while it runs: "attribute 2 of type record has been dropped". Such
 * an execution may have had effects, so it is not repeated; the next one is planned anew. */
void suspect_plan(session_state_t *session, const postgres_request_t *request, const frame_t *frame) {
    if (request->sent.parses || !(has_code(frame, "42") || has_code(frame, "XX000"))) return;
    slots_drop(session, request->sent.prepared);
    statement_of(request->statement)->known = false;
}
