#include "unreadable.h"

#include <ruby/encoding.h>
#include "../rows/description.h"
#include "../rows/row.h"
#include "../../common/classes.h"

static VALUE eProtocolError, eUnreadableResult;

typedef struct {
    const description_t *description;
    const postgres_request_t *request;
    const frame_t *frame;
} decoding_t;

static VALUE decode(VALUE data, row_memory_t *memory) {
    const decoding_t *decoding = (const decoding_t *)data;
    return row_decode(decoding->description, decoding->request->answer.binary, decoding->frame->body, decoding->frame->length, memory);
}

/* A statement of a script may change the format of the values behind it, which the server reports only at the end. A script has the connection for
 * itself. */
static bool may_change_formats(const postgres_request_t *request) { return request->kind == REQUEST_SCRIPT; }

static bool is_of_value(const postgres_request_t *request, VALUE error) {
    if (!RTEST(rb_obj_is_kind_of(error, rb_eStandardError))) return false;
    return may_change_formats(request) || !RTEST(rb_obj_is_kind_of(error, eProtocolError));
}

/* Whether its rows may raise other errors than a ProtocolError that ends the connection. */
static bool needs_protection(const postgres_request_t *request) {
    return description_of(request->answer.description)->calls_ruby || may_change_formats(request);
}

VALUE row_or_unreadable(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    const description_t *description = description_of(request->answer.description);
    if (!needs_protection(request)) return row_decode(description, request->answer.binary, frame->body, frame->length, NULL);
    decoding_t decoding = {description, request, frame};
    return protected_row(session, request, decode, (VALUE)&decoding);
}

typedef struct {
    read_row_function *read;
    VALUE data;
    row_memory_t memory;
} reading_t;

static VALUE read_within_memory(VALUE data) {
    reading_t *reading = (reading_t *)data;
    return reading->read(reading->data, &reading->memory);
}

VALUE protected_row(const session_state_t *session, postgres_request_t *request, read_row_function *read, VALUE data) {
    if (!needs_protection(request)) return read(data, NULL);
    int tag;
    reading_t reading = {read, data, row_memory_of(session->message_limit)};
    VALUE row = rb_protect(read_within_memory, (VALUE)&reading, &tag);
    if (!tag) return row;
    VALUE error = rb_errinfo();
    if (!is_of_value(request, error)) rb_jump_tag(tag);
    rb_set_errinfo(Qnil);
    request->answer.unreadable = error;
    return Qundef;
}

void unreadable_row(const session_state_t *session, postgres_request_t *request, size_t size) {
    if (request->base.done || !NIL_P(request->answer.unreadable)) return;
    VALUE message = rb_enc_sprintf(rb_utf8_encoding(), "a row has %"PRIuSIZE" bytes, and the client takes %"PRIuSIZE" (max_message:)", size, session->message_limit);
    request->answer.unreadable = rb_class_new_instance(1, &message, eUnreadableResult);
}

static bool is_broken(VALUE value) {
    if (RB_TYPE_P(value, T_STRING)) return rb_enc_get_index(value) == rb_utf8_encindex() && rb_enc_str_coderange(value) == ENC_CODERANGE_BROKEN;
    if (!RB_TYPE_P(value, T_ARRAY)) return false;
    for (long at = 0; at < RARRAY_LEN(value); at++) {
        if (is_broken(RARRAY_AREF(value, at))) return true;
    }
    return false;
}

void unreadable_texts(postgres_request_t *request) {
    if (!NIL_P(request->answer.unreadable)) return;
    const VALUE rows[] = {request->answer.row, request->answer.rows, request->answer.results};
    for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
        if (!is_broken(rows[at])) continue;
        VALUE message = rb_utf8_str_new_cstr("client_encoding was changed, and what was read is not UTF-8 any more");
        request->answer.unreadable = rb_class_new_instance(1, &message, eUnreadableResult);
        return;
    }
}

/* call-seq: unreadable -> Exception or nil
 *
 * Why the answer, which has come, cannot be given to its caller. */
static VALUE request_unreadable(VALUE self) { return postgres_request_of(self)->answer.unreadable; }

void Init_trunkline_unreadable(void) {
    eProtocolError = rb_path2class("Trunkline::ProtocolError");
    rb_gc_register_mark_object(eProtocolError);
    eUnreadableResult = rb_path2class("Trunkline::UnreadableResult");
    rb_gc_register_mark_object(eUnreadableResult);
    rb_define_method(rb_const_get(mTrunklinePostgres, rb_intern("Request")), "unreadable", request_unreadable, 0);
}
