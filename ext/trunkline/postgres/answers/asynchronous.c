#include "asynchronous.h"

#include <ruby/encoding.h>
#include <string.h>
#include "../messages/error_fields.h"
#include "../session/flow.h"
#include "leak.h"
#include "../session/parse_context.h"
#include "../../bytes/reader.h"
#include "../../trunk/runtime/protocol_error.h"

#define ENTRY 40 /* bytes of a String object, beside its content */

/* Notices without another message between them from which on more are expected: a statement that raises a few is not read later for it. Reading 100,000 one
 * by one took 0.38 s of the client's processor, and 0.20 with pauses: so 64 that are read before the first pause cost 0.12 ms once, about as much as that
 * pause (TRICKLE_PERIOD). */
#define FLOOD 64
/* Bytes in one read that show that the server is ahead of the client, so that this need not wait for more: what 300 notices take, more than a socket
 * of PostgreSQL holds. */
#define MUCH (32 * 1024)

static VALUE body_string(const frame_t *frame) { return rb_str_new(frame->body, frame->length); }

postgres_request_t *member_in_progress(postgres_request_t *request) {
    if (request->answer.unanswered == 0 || answer_order_in_preamble(&request->answer.order)) return request;
    return postgres_request_of(RARRAY_AREF(request->members, RARRAY_LEN(request->members) - request->answer.unanswered));
}

/* Keeps the first notices, which are the most informative ones, up to the limit. A caller that takes the answer in portions gets all of them. */
static void notice_response(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    request = member_in_progress(request);
    if (request->flow) {
        flow_note(session, request, frame);
        return;
    }
    if (request->base.done) return; /* abandoned */
    size_t kept = NIL_P(request->answer.notices) ? 0 : (size_t)RSTRING_LEN(request->answer.notices);
    if (frame->length + NOTICE_HEAD > session->unrequested_limit - kept) request->answer.notices_left_out++;
    else notices_add(&request->answer.notices, frame->body, frame->length);
}

void notices_end(session_state_t *session, postgres_request_t *request) {
    static const char fields[] = "SWARNING\0VWARNING\0C01000\0M";
    VALUE body = rb_str_new(fields, sizeof fields - 1);
    rb_str_catf(body, "%ld more notices were left out: the client keeps %"PRIuSIZE" bytes of one answer's (max_unrequested)", request->answer.notices_left_out,
                session->unrequested_limit);
    rb_str_cat(body, "\0\0", 2);
    notices_add(&request->answer.notices, RSTRING_PTR(body), (size_t)RSTRING_LEN(body));
    RB_GC_GUARD(body);
}

static size_t setting_bytes(VALUE value) { return NIL_P(value) ? 0 : (size_t)RSTRING_LEN(value) + ENTRY; }

/* Stores a reported setting. A server reports some twenty. */
static void parameter_status(session_state_t *session, const frame_t *frame, bool answering) {
    reader_t reader = reader_of(frame->body, frame->length);
    size_t name_length, value_length;
    const char *name = reader_string(&reader, &name_length), *value = reader_string(&reader, &value_length);
    if (!reader.whole) protocol_error("ParameterStatus ends too early");
    VALUE key = rb_enc_interned_str(name, name_length, rb_utf8_encoding()), setting = rb_utf8_str_new(value, value_length);
    VALUE before = rb_hash_lookup(session->parameters, key);
    session->parameter_bytes += setting_bytes(setting) + (NIL_P(before) ? name_length + ENTRY : 0);
    session->parameter_bytes -= session->parameter_bytes < setting_bytes(before) ? session->parameter_bytes : setting_bytes(before);
    if (session->parameter_bytes > session->unrequested_limit) {
        protocol_error("the server reports settings of %"PRIuSIZE" bytes, where max_unrequested is %"PRIuSIZE, session->parameter_bytes, session->unrequested_limit);
    }
    if (strcmp(name, "in_hot_standby") == 0 && !NIL_P(before) && !RTEST(rb_str_equal(before, setting))) session->base.role_changed = true;
    if (strcmp(name, "client_encoding") == 0) session->not_utf8 = strcmp(value, "UTF8") != 0;
    rb_hash_aset(session->parameters, key, setting);
    leak_watch_setting(session, key, setting, answering);
    if (answering) parse_context_watch_setting(session, name);
}

/* Stores a notification. Where too many are stored, the oldest are dropped, and the caller that takes the others learns of it. */
static void notification_response(session_state_t *session, const frame_t *frame) {
    session->notification_bytes += frame->length + ENTRY;
    while (RARRAY_LEN(session->notifications) > 0 && session->notification_bytes > session->unrequested_limit) {
        session->notification_bytes -= (size_t)RSTRING_LEN(rb_ary_shift(session->notifications)) + ENTRY;
        session->notifications_left_out = true;
    }
    rb_ary_push(session->notifications, body_string(frame));
}

VALUE notifications_taken(session_state_t *session) {
    VALUE taken = session->notifications;
    if (session->notifications_left_out) rb_ary_unshift(taken, Qnil);
    session->notifications_left_out = false;
    session->notification_bytes = 0;
    if (RARRAY_LEN(taken) > 0) session->notifications = rb_ary_new();
    return taken;
}

bool asynchronous_take(session_state_t *session, const frame_t *frame) {
    VALUE head = fifo_head(&session->base.in_flight.fifo);
    switch (frame->type) {
    case 'S': parameter_status(session, frame, head != Qundef); return true;
    case 'A': notification_response(session, frame); return true;
    case 'N':
        session->notices_in_row++;
        if (head != Qundef && !NIL_P(head)) notice_response(session, postgres_request_of(head), frame);
        return true;
    case 'E':
        if (head != Qundef) return false;
        session->base.closing_error = body_string(frame);
        return true;
    default: session->notices_in_row = 0; return false;
    }
}

bool asynchronous_floods(const session_state_t *session) { return session->notices_in_row >= FLOOD; }

bool asynchronous_trickles(const session_state_t *session, size_t received) { return asynchronous_floods(session) && received < MUCH; }
