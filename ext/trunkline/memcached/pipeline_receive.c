#include "pipeline.h"

#include "memcached_request.h"
#include "../socket/bytes_class.h"
#include "../trunk/runtime/clock.h"
#include "../trunk/balancer/measure.h"
#include "../trunk/runtime/protocol_error.h"

#define BIT(code) (1u << (code))
#define LONGEST_QUOTED 40 /* bytes of a line, in an error */

/* The codes that may answer each kind, besides an error. */
static const unsigned answers[] = {
    [KIND_GET] = BIT(META_VALUE) | BIT(META_DONE) | BIT(META_MISS),
    [KIND_STORE] = BIT(META_DONE) | BIT(META_NOT_STORED) | BIT(META_EXISTS) | BIT(META_NOT_FOUND),
    [KIND_DELETE] = BIT(META_DONE) | BIT(META_NOT_FOUND) | BIT(META_EXISTS),
    [KIND_COUNT] = BIT(META_VALUE) | BIT(META_NOT_FOUND) | BIT(META_NOT_STORED) | BIT(META_EXISTS),
    [KIND_LINE] = BIT(META_OTHER),
    [KIND_STATISTICS] = BIT(META_STATISTIC) | BIT(META_END),
};

/* Bytes, in Ruby's BINARY encoding. */
static VALUE text_string(meta_text_t text) { return rb_str_new(text.bytes, (long)text.length); }

NORETURN(static void nonsense(const meta_answer_t *answer));
static void nonsense(const meta_answer_t *answer) {
    int length = answer->line.length < LONGEST_QUOTED ? (int)answer->line.length : LONGEST_QUOTED;
    protocol_error("the server sent \"%.*s\", and no command is in flight", length, answer->line.bytes);
}

NORETURN(static void out_of_step(const meta_answer_t *answer));
static void out_of_step(const meta_answer_t *answer) {
    int length = answer->line.length < LONGEST_QUOTED ? (int)answer->line.length : LONGEST_QUOTED;
    protocol_error("the server sent \"%.*s\", which answers another command than the first in flight", length, answer->line.bytes);
}

static void remember_error(memcached_request_t *request, const meta_answer_t *answer) {
    if (NIL_P(request->error)) request->error = text_string(answer->line);
}

/* Stores a fact about one of many keys. The list is made with the first one. */
static void note(VALUE *list, uint32_t index, VALUE what) {
    if (NIL_P(*list)) *list = rb_ary_new();
    rb_ary_store(*list, index, what);
}

/* Stores the value of one of many keys by the key's index: the caller's name for it may have methods in Ruby that run when it becomes a Hash's key,
 * and the thread that reads may be another caller's. */
static void found_one_of_many(memcached_request_t *request, const meta_answer_t *answer, uint32_t index) {
    note(&request->answer, index, text_string(answer->value));
    if (answer->flags != 0) note(&request->coded, index, UINT2NUM(answer->flags));
    if (answer->cas != 0) note(&request->versions, index, ULL2NUM(answer->cas));
}

/* The index of the key that is answered; those before `from` have their answers. */
static uint32_t index_of_key(const pipeline_t *pipeline, const memcached_request_t *request, const meta_answer_t *answer,
                         uint32_t from) {
    uint32_t size = memcached_request_size(request);
    if (!answer->numbered && answer->code == META_MISS && !pipeline->misses_numbered) return size - 1; /* the others do not answer misses */
    uint32_t index = answer->opaque - request->opaque;
    if (!answer->numbered || index < from || index >= size) out_of_step(answer);
    return index;
}

/* Takes one of many answers, whose opaques can only rise. Those of an abandoned request are discarded. True: it was the last one. */
static bool take_one_of_many(const pipeline_t *pipeline, memcached_request_t *request, const meta_answer_t *answer) {
    if (answer->code == META_NOOP) {
        if (request->next < memcached_request_size(request) && NIL_P(request->error)) out_of_step(answer);
        return true;
    }
    if (answer->code == META_ERROR) {
        remember_error(request, answer);
        return false;
    }
    if (!(answers[request->kind] & BIT(answer->code))) nonsense(answer);
    uint32_t index = index_of_key(pipeline, request, answer, request->next);
    request->next = index + 1;
    if (request->base.done) return false;
    if (answer->code == META_VALUE) found_one_of_many(request, answer, index);
    if (answer->code == META_DONE) request->done_count++;
    return false;
}

static void take_statistic(memcached_request_t *request, const meta_answer_t *answer) {
    const char *name = answer->line.bytes + sizeof "STAT", *end = answer->line.bytes + answer->line.length;
    const char *blank = name < end ? memchr(name, ' ', (size_t)(end - name)) : NULL;
    if (!blank) nonsense(answer);
    if (NIL_P(request->answer)) request->answer = rb_hash_new();
    rb_hash_aset(request->answer, rb_utf8_str_new(name, blank - name), rb_utf8_str_new(blank + 1, end - blank - 1));
}

static void check_line(const memcached_request_t *request, const meta_answer_t *answer) {
    size_t length = (size_t)RSTRING_LEN(request->flags);
    if (answer->line.length < length || memcmp(answer->line.bytes, RSTRING_PTR(request->flags), length) != 0) nonsense(answer);
}

/* True: the answer is complete. That of an abandoned request is discarded. */
static bool take_one(const pipeline_t *pipeline, memcached_request_t *request, const meta_answer_t *answer) {
    request->code = answer->code;
    if (answer->code == META_ERROR) {
        remember_error(request, answer);
        return true;
    }
    if (!(answers[request->kind] & BIT(answer->code))) nonsense(answer);
    if (answer->code == META_STATISTIC) {
        take_statistic(request, answer);
        return false;
    }
    if (request->kind < KIND_LINE) index_of_key(pipeline, request, answer, 0);
    if (request->kind == KIND_LINE) check_line(request, answer);
    if (request->base.done) return true;
    if (answer->code == META_VALUE) request->answer = text_string(answer->value);
    if (answer->code == META_OTHER) request->answer = text_string(answer->line);
    request->answer_flags = answer->flags;
    request->cas = answer->cas;
    request->won = answer->won;
    request->lost = answer->lost;
    request->stale = answer->stale;
    request->hit_before = answer->hit_before;
    request->last_access = answer->last_access;
    request->remaining = answer->remaining;
    return true;
}

static void take(pipeline_t *pipeline, const meta_answer_t *answer, double now, VALUE woken) {
    VALUE head = fifo_head(&pipeline->base.in_flight.fifo);
    if (head == Qundef) {
        if (answer->code != META_ERROR) nonsense(answer);
        pipeline->base.closing_error = text_string(answer->line);
        return;
    }
    pipeline->answers++;
    memcached_request_t *request = memcached_request_of(head);
    if (!(request->many ? take_one_of_many(pipeline, request, answer) : take_one(pipeline, request, answer))) return;
    measure_head(&pipeline->base.in_flight, now);
    in_flight_shift(&pipeline->base.in_flight, now);
    if (request_finish(&request->base)) rb_ary_push(woken, head);
    RB_GC_GUARD(head);
}

void pipeline_receive(pipeline_t *pipeline, VALUE woken) {
    buffer_t *input = bytes_buffer(pipeline->base.input);
    double now = clock_now();
    meta_answer_t answer;
    for (;;) {
        switch (meta_answer_read(buffer_bytes(input), buffer_size(input), pipeline->value_limit, &answer)) {
        case META_PARTIAL:
            if (!buffer_reserve(input, answer.size - buffer_size(input))) rb_memerror();
            return;
        case META_BROKEN: protocol_error("a malformed answer: is this a memcached server?");
        case META_TOO_LONG: protocol_error("a value of more than %"PRIuSIZE" bytes (max_value)", pipeline->value_limit);
        case META_WHOLE: break;
        }
        take(pipeline, &answer, now, woken);
        buffer_consume(input, answer.size);
    }
}
