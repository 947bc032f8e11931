#include "pipeline.h"

#include "memcached_request.h"
#include "../socket/bytes_class.h"

/* Opaques start again at 0 from here on, so that they stay short; neighbours in the queue always differ. */
#define OPAQUES 0x10000

static meta_text_t text(VALUE string) { return (meta_text_t){RSTRING_PTR(string), (size_t)RSTRING_LEN(string)}; }

static bool append_line(buffer_t *output, const memcached_request_t *request) {
    return meta_write_line(output, text(request->key));
}

static bool append_one(buffer_t *output, const memcached_request_t *request) {
    meta_text_t key = text(request->key);
    meta_flags_t flags = {.given = text(request->flags), .opaque = request->opaque};
    if (request->kind != KIND_STORE) return meta_write(output, META_VERBS[request->kind], key, &flags);
    return meta_write_value(output, key, text(request->value), request->client_flags, &flags);
}

static bool append_part(buffer_t *output, const memcached_request_t *request, long at, const meta_flags_t *flags) {
    meta_text_t key = text(RARRAY_AREF(request->key, at));
    if (request->kind != KIND_STORE) return meta_write(output, META_VERBS[request->kind], key, flags);
    uint32_t client_flags = NUM2UINT(RARRAY_AREF(request->value, 2 * at + 1));
    return meta_write_value(output, key, text(RARRAY_AREF(request->value, 2 * at)), client_flags, flags);
}

/* Each command has its opaque, so an answer identifies its key. The last key is never quiet: its answer shows that the end is this request's, and not
 * that of one before it. */
static bool append_many(buffer_t *output, const memcached_request_t *request) {
    long last = RARRAY_LEN(request->key) - 1;
    for (long at = 0; at <= last; at++) {
        meta_flags_t flags = {text(request->flags), request->opaque + (uint32_t)at, request->kind != KIND_DELETE && at < last};
        if (!append_part(output, request, at, &flags)) return false;
    }
    return meta_write_noop(output);
}

static bool append(buffer_t *output, const memcached_request_t *request) {
    if (request->kind >= KIND_LINE) return append_line(output, request);
    return request->many ? append_many(output, request) : append_one(output, request);
}

bool pipeline_submit(pipeline_t *pipeline, VALUE object) {
    memcached_request_t *request = memcached_request_checked(object);
    buffer_t *output = bytes_buffer(pipeline->base.output);
    if (pipeline->base.closed) return false;
    size_t before = buffer_size(output);
    request->opaque = pipeline->next_opaque;
    if (!append(output, request)) {
        output->tail = output->head + before;
        rb_memerror();
    }
    pipeline->next_opaque = (pipeline->next_opaque + memcached_request_size(request)) % OPAQUES;
    request->answers_before = pipeline->answers;
    request->base.offset = pipeline->base.in_flight.appended;
    pipeline->base.in_flight.appended += buffer_size(output) - before;
    in_flight_push(&pipeline->base.in_flight, object);
    return true;
}

/* Bytes of the request at this index, which end where the next one begins. */
static size_t size_of(const pipeline_t *pipeline, size_t at) {
    const in_flight_t *in_flight = &pipeline->base.in_flight;
    uint64_t end = at + 1 < in_flight->fifo.count ? request_of(fifo_at(&in_flight->fifo, at + 1))->offset : pipeline->base.in_flight.appended;
    return (size_t)(end - request_of(fifo_at(&in_flight->fifo, at))->offset);
}

bool pipeline_withdraw(pipeline_t *pipeline, VALUE object, VALUE failure) {
    buffer_t *output = bytes_buffer(pipeline->base.output);
    uint64_t sent = pipeline->base.in_flight.appended - buffer_size(output), from = memcached_request_checked(object)->base.offset;
    size_t at = fifo_find(&pipeline->base.in_flight.fifo, object);
    if (at == pipeline->base.in_flight.fifo.count || from < sent) return false;
    size_t size = size_of(pipeline, at);
    buffer_cut(output, (size_t)(from - sent), size);
    in_flight_remove(&pipeline->base.in_flight, at);
    in_flight_move_forward(&pipeline->base.in_flight, at, size);
    pipeline->base.in_flight.appended -= size;
    memcached_request_of(object)->base.failure = failure;
    return true;
}
