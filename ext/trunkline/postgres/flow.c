#include "flow.h"

#define MOST_BYTES_OF_A_PORTION ((size_t)1 << 19)

void flow_begin(postgres_request_t *request, size_t most_rows) {
    if (!request->flow) request->flow = ZALLOC(flow_t);
    request->flow->most_rows = most_rows;
    request->rows = rb_ary_new();
}

void flow_add(session_state_t *session, postgres_request_t *request, VALUE row, size_t bytes) {
    flow_t *flow = request->flow;
    rb_ary_push(request->rows, row);
    flow->bytes += bytes;
    if (RARRAY_LEN(request->rows) >= (long)flow->most_rows || flow->bytes >= MOST_BYTES_OF_A_PORTION) session->halted = true;
}

VALUE flow_portion(session_state_t *session, postgres_request_t *request) {
    VALUE rows = request->rows;
    request->rows = rb_ary_new();
    request->flow->bytes = 0;
    session->halted = session->leaked;
    return rows;
}
