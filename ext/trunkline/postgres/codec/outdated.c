#include "outdated.h"

#include "../messages/error_code.h"
#include "plan_epoch.h"
#include "statement.h"

#define NAME_IN_USE "42P05"
#define CHANGED_RESULT "0A000" /* "cached plan must not change result type" is the one that comes before BindComplete */

static bool has_code(const frame_t *frame, const char *code) { return error_code_begins(frame->body, frame->length, code); }

/* What servers say of a statement that they have lost, or whose plan or parameter types fit no more, as its tables, types or
 * functions are not the ones that it was prepared for; and of a value that none of this would mend. */
static bool blames_statement(const frame_t *frame) {
    static const char *const codes[] = {UNKNOWN_STATEMENT, CHANGED_RESULT, "22", "42", "XX000"};
    for (size_t at = 0; at < sizeof codes / sizeof *codes; at++) {
        if (has_code(frame, codes[at])) return true;
    }
    return false;
}

/* What was read of the SQL is not what the server reads: the statement is prepared anew, without a check. */
static void give_check_up(session_state_t *session, postgres_request_t *request) {
    statement_of(request->statement)->column_check = Qnil;
    slots_drop(session, request->sent.prepared);
    request->outcome.outdated = request->outcome.forgotten = true;
}

/* One that was there is lost: so may be the others. */
static void forget_all(session_state_t *session) {
    slots_forget(session);
    session->pooled = true; /* or a statement has closed it, which is rare */
}

void suspect_all(session_state_t *session, postgres_request_t *request) {
    forget_all(session);
    request->outcome.outdated = request->outcome.forgotten = true;
}

void suspect_statement(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (request->answer.order.stage == STAGE_CHECK_PARSE && blames_statement(frame)) return give_check_up(session, request);
    const prepared_t *prepared = prepared_of(request->sent.prepared);
    bool parse_failed = request->sent.parses && !prepared->parsed, suspect = !answer_order_in_preamble(&request->answer.order) && blames_statement(frame);
    if (suspect && prepared->parsed && has_code(frame, UNKNOWN_STATEMENT)) {
        forget_all(session);
    } else if (parse_failed || suspect) {
        slots_drop(session, request->sent.prepared);
    }
    /* A plan that was made just now does not: a pooler has put a statement of its own in its place. */
    bool replaced = prepared->parsed && has_code(frame, CHANGED_RESULT) && error_comes_from(frame->body, frame->length, "RevalidateCachedQuery");
    request->outcome.outdated = suspect && (!request->sent.parses || request->sent.told || replaced || has_code(frame, NAME_IN_USE));
    if (!request->outcome.outdated) return;
    request->outcome.forgotten = has_code(frame, UNKNOWN_STATEMENT) || has_code(frame, CHANGED_RESULT);
    if (has_code(frame, CHANGED_RESULT)) plan_epoch_end(session->epoch, prepared->epoch);
    if (!has_code(frame, UNKNOWN_STATEMENT)) statement_of(request->statement)->known = false;
}

/* A plan that is made for what a function returned before, or for a table that it reads, fails as it runs: "attribute 2 of type record has been dropped".
 * Such an execution may have had effects, so it is not repeated; the next one has a plan of its own. */
void suspect_plan(session_state_t *session, const postgres_request_t *request, const frame_t *frame) {
    if (request->sent.parses || !(has_code(frame, "42") || has_code(frame, "XX000"))) return;
    slots_drop(session, request->sent.prepared);
    statement_of(request->statement)->known = false;
}
