/* The server's messages during a COPY. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY */
#include <ruby/encoding.h>
#include "../copy/copy_row.h"
#include "../session/flow.h"
#include "../messages/frame.h"
#include "unreadable.h"
#include "../../bytes/reader.h"
#include "../../trunk/runtime/protocol_error.h"

void copy_begin(postgres_request_t *request, const frame_t *frame) {
    if (request->kind != REQUEST_COPY || frame->type == 'W') protocol_error("COPY cannot run here: use copy_in or copy_out");
    if (request->flow->copy != COPY_NONE) protocol_error("a COPY begins within another");
    reader_t reader = reader_of(frame->body, frame->length);
    request->flow->binary = reader_u8(&reader) != 0;
    request->flow->columns = reader_u16(&reader);
    if (!reader.whole) protocol_error("the response to COPY ends too early");
    request->flow->copy = frame->type == 'G' ? COPY_IN : COPY_OUT;
}

/* The source of rows: the binary format, of which one message may have many, or one line of text. */
typedef struct {
    const description_t *description;
    reader_t *rows;
    const char *line;
    size_t length;
} copied_t;

static VALUE raw(const flow_t *flow, const char *bytes, size_t length) {
    return flow->binary ? rb_str_new(bytes, length) : rb_utf8_str_new(bytes, length);
}

static VALUE next_binary_row(VALUE data, row_memory_t *memory) {
    const copied_t *copied = (const copied_t *)data;
    return copy_row_binary(copied->description, copied->rows, memory);
}

static VALUE text_row(VALUE data, row_memory_t *memory) {
    const copied_t *copied = (const copied_t *)data;
    return copy_row_text(copied->description, copied->line, copied->length, memory);
}

static void binary_rows(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    reader_t reader = reader_of(frame->body, frame->length);
    if (!request->flow->begun) copy_row_header(&reader);
    request->flow->begun = true;
    copied_t copied = {.description = description_of(request->answer.description), .rows = &reader};
    while (reader_left(&reader) > 0) {
        size_t before = reader_left(&reader);
        VALUE row = protected_row(session, request, next_binary_row, (VALUE)&copied);
        if (row == Qundef) return;
        if (!NIL_P(row)) flow_add(session, request, row, before - reader_left(&reader));
    }
}

static void one_text_row(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    copied_t copied = {.description = description_of(request->answer.description), .line = frame->body, .length = frame->length};
    VALUE row = protected_row(session, request, text_row, (VALUE)&copied);
    if (row != Qundef) flow_add(session, request, row, frame->length);
}

void copy_data(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (!request->flow || request->flow->copy != COPY_OUT) protocol_error("the server sent COPY data, and no COPY is running");
    if (request->base.done || !NIL_P(request->answer.unreadable)) return; /* the rows are discarded */
    if (NIL_P(request->answer.description)) {
        flow_add(session, request, raw(request->flow, frame->body, frame->length), frame->length);
    } else if (request->flow->binary) {
        binary_rows(session, request, frame);
    } else {
        one_text_row(session, request, frame);
    }
}

void copy_done(postgres_request_t *request) {
    if (!request->flow || request->flow->copy != COPY_OUT) protocol_error("the server sent CopyDone, and no COPY is running");
    request->flow->copy = COPY_OVER;
}
