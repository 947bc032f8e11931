#include "error_answer.h"

#include "../messages/error_code.h"
#include "outdated.h"

/* A server looks at these while it waits for a request, and so does PgBouncer for a client without a server. What has arrived meanwhile
 * is not read any more. */
static bool is_idle_timeout(const frame_t *frame) {
    return error_code_begins(frame->body, frame->length, "57P05") || error_code_begins(frame->body, frame->length, "25P03") ||
           error_says(frame->body, frame->length, "client_idle_timeout");
}

/* Has no message of the answer come yet? */
static bool is_unbegun(const postgres_request_t *request) {
    answer_order_t begun = request->answer.order;
    answer_order_begin(&begun);
    const answer_order_t *order = &request->answer.order;
    bool whole = request->answer.unanswered == 0 || request->answer.unanswered == RARRAY_LEN(request->members);
    return whole && order->stage == begun.stage && order->preamble == (NIL_P(request->preamble) ? 0 : RARRAY_LEN(request->preamble));
}

void error_answer_take(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    VALUE body = rb_str_new(frame->body, frame->length);
    bool fatal = error_is_fatal(frame->body, frame->length);
    if (NIL_P(request->answer.error)) request->answer.error = body;
    if (fatal) session->base.farewell = body;
    if (fatal && is_idle_timeout(frame)) session->base.unbegun = is_unbegun(request);
    if (session->cancelling && !request->outcome.cancelled) request->outcome.bystander = error_code_begins(frame->body, frame->length, QUERY_CANCELLED);
    if (request->answer.order.stage == STAGE_LIMIT_BIND && error_code_begins(frame->body, frame->length, UNKNOWN_STATEMENT)) session->limits = false;
    if (!NIL_P(request->sent.prepared) && !request->answer.bound) suspect_statement(session, request, frame);
    answer_order_fail(&request->answer.order);
}
