#include "error_answer.h"

#include "../messages/error_code.h"
#include "outdated.h"
#include "read_guard.h"

/* Errors with which a server ends a session that waits for a request, and PgBouncer a client without a server. Requests that have arrived meanwhile
 * are not executed. */
static bool is_idle_timeout(const frame_t *frame) {
    return error_code_begins(frame->body, frame->length, "57P05") || error_code_begins(frame->body, frame->length, "25P03") ||
           error_says(frame->body, frame->length, "client_idle_timeout");
}

/* Whether no message of the answer has come. */
static bool has_not_begun(const postgres_request_t *request) {
    answer_order_t begun = request->answer.order;
    answer_order_begin(&begun);
    const answer_order_t *order = &request->answer.order;
    bool whole = request->answer.unanswered == 0 || request->answer.unanswered == RARRAY_LEN(request->members);
    return whole && order->stage == begun.stage && order->preamble == (NIL_P(request->preamble) ? 0 : (size_t)RARRAY_LEN(request->preamble)) + !NIL_P(request->guard);
}

/* One transaction has taken too long. No pooler sends this itself, and the server executes nothing behind that transaction. */
static bool is_transaction_timeout(const frame_t *frame) { return error_code_begins(frame->body, frame->length, "25P04"); }

static void note_fatal_error(session_state_t *session, VALUE body, const frame_t *frame, bool head_begun) {
    if (!error_is_fatal(frame->body, frame->length)) return;
    session->base.closing_error = body;
    const request_t *head = fifo_request(fifo_head(&session->base.in_flight.fifo));
    if (is_idle_timeout(frame) && !head_begun) session->base.not_begun_from = 0;
    if (is_transaction_timeout(frame)) session->base.not_begun_from = head ? head->offset + 1 : 0;
}

void error_answer_take_own(session_state_t *session, const frame_t *frame) {
    note_fatal_error(session, rb_str_new(frame->body, frame->length), frame, false);
}

void error_answer_take(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    VALUE body = rb_str_new(frame->body, frame->length);
    if (NIL_P(request->answer.error)) request->answer.error = body;
    note_fatal_error(session, body, frame, !has_not_begun(request));
    if (session->cancelling && !request->outcome.cancelled) request->outcome.bystander = error_code_begins(frame->body, frame->length, QUERY_CANCELLED);
    if (request->answer.order.stage == STAGE_LIMIT_BIND && error_code_begins(frame->body, frame->length, UNKNOWN_STATEMENT)) session->limits = false;
    if (error_code_begins(frame->body, frame->length, READ_ONLY)) session->refused_write = true;
    bool lost = read_guard_is_lost(request, frame);
    request->outcome.refused = !lost && answer_order_in_preamble(&request->answer.order);
    if (lost) suspect_all(session, request);
    else if (!NIL_P(request->sent.prepared)) request->answer.bound ? suspect_plan(session, request, frame) : suspect_statement(session, request, frame);
    answer_order_fail(&request->answer.order);
}
