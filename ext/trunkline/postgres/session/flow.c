#include "flow.h"

#include "../messages/error_fields.h"

/* Bytes. With a quarter or four times as much, 20 MB in rows of 10 KB take 8 to 9 ms of processor time, the least of three runs, between which there
 * is up to half as much again. No effect is seen, so memory decides: a stream holds as much as an idle connection may keep. */
#define MOST_BYTES_OF_A_PORTION ((size_t)1 << 19)

void flow_begin(postgres_request_t *request, size_t most_rows) {
    if (!request->flow) request->flow = ZALLOC(flow_t);
    request->flow->most_rows = most_rows;
    request->answer.rows = rb_ary_new();
}

static void count(session_state_t *session, postgres_request_t *request, size_t bytes) {
    flow_t *flow = request->flow;
    flow->bytes += bytes;
    if (RARRAY_LEN(request->answer.rows) >= (long)flow->most_rows || flow->bytes >= MOST_BYTES_OF_A_PORTION) session->halted = true;
}

/* Decoding may continue, unless the session has leaked. */
static void resume_decoding(session_state_t *session, flow_t *flow) {
    flow->bytes = 0;
    session->halted = session->leaked;
}

void flow_add(session_state_t *session, postgres_request_t *request, VALUE row, size_t bytes) {
    rb_ary_push(request->answer.rows, row);
    count(session, request, bytes);
}

void flow_note(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (request->base.done) return; /* abandoned */
    notices_add(&request->answer.notices, frame->body, frame->length);
    count(session, request, frame->length);
}

VALUE flow_portion(session_state_t *session, postgres_request_t *request) {
    VALUE rows = request->answer.rows;
    request->answer.rows = rb_ary_new();
    resume_decoding(session, request->flow);
    return rows;
}

VALUE flow_notices(session_state_t *session, postgres_request_t *request) {
    VALUE notices = request->answer.notices;
    request->answer.notices = Qnil;
    if (RARRAY_LEN(request->answer.rows) == 0) resume_decoding(session, request->flow);
    return notices;
}
