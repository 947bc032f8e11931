#include "submit.h"

#include <string.h>
#include "../socket/bytes_class.h"

/* Where the request is among those in flight, or their count. */
static size_t find(const fifo_t *in_flight, VALUE request) {
    size_t at = 0;
    while (at < in_flight->count && fifo_at(in_flight, at) != request) at++;
    return at;
}

static void cut(buffer_t *buffer, size_t from, size_t size) {
    char *start = buffer->start + buffer->head + from;
    memmove(start, start + size, buffer_size(buffer) - from - size);
    buffer->tail -= size;
}

static void move_forward(const fifo_t *in_flight, size_t from, size_t size) {
    for (size_t at = from; at < in_flight->count; at++) {
        VALUE request = fifo_at(in_flight, at);
        if (!NIL_P(request)) request_of(request)->offset -= size;
    }
}

bool withdraw(session_state_t *session, VALUE object) {
    postgres_request_t *request = postgres_request_checked(object);
    buffer_t *output = bytes_buffer(session->output);
    uint64_t sent = session->appended - buffer_size(output), from = request->base.offset + request->effect;
    size_t at = find(&session->in_flight, object);
    if (at == session->in_flight.count || request->effect_size == 0 || from < sent) return false;
    cut(output, (size_t)(from - sent), request->effect_size);
    move_forward(&session->in_flight, at + 1, request->effect_size);
    session->appended -= request->effect_size;
    request->effect_size = 0;
    return request->withdrawn = true;
}
