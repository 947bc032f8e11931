#include "receive.h"

#include <ruby/encoding.h>
#include <string.h>
#include "../answers/asynchronous.h"
#include "../answers/command_effect.h"
#include "../answers/error_answer.h"
#include "../messages/command_tag.h"
#include "../rows/description.h"
#include "../messages/error_code.h"
#include "../session/flow.h"
#include "../messages/frame.h"
#include "../answers/leak.h"
#include "../session/parse_context.h"
#include "../answers/own_unit.h"
#include "../statements/plan_epoch.h"
#include "../rows/row.h"
#include "../statements/statement.h"
#include "../answers/unreadable.h"
#include "../../bytes/reader.h"
#include "../../socket/bytes_class.h"
#include "../../trunk/runtime/clock.h"
#include "../../trunk/balancer/measure.h"
#include "../../trunk/runtime/protocol_error.h"

#define FAILED_TRANSACTION "25P02"
#define ROW 40 /* bytes of the Array of a row, beside its values */

static postgres_request_t *request_or_null(VALUE entry) { return NIL_P(entry) ? NULL : postgres_request_of(entry); }

/* The head of the FIFO, which a message answers: a request, or nil for a unit of the codec's own. */
static VALUE answered(const session_state_t *session, const frame_t *frame) {
    VALUE head = fifo_head(&session->base.in_flight.fifo);
    if (head == Qundef) protocol_error("the server sent message '%c', and no request is in flight", frame->type);
    return head;
}

static void parse_complete(postgres_request_t *request) {
    if (request->sent.parses) prepared_of(request->sent.prepared)->parsed = true;
}

static void parameter_description(postgres_request_t *request, const frame_t *frame) {
    reader_t reader = reader_of(frame->body, frame->length);
    uint16_t count = reader_u16(&reader);
    if (!reader.whole || reader_left(&reader) != count * sizeof(uint32_t)) protocol_error("ParameterDescription has another length than its count");
    if (NIL_P(request->sent.prepared)) protocol_error("ParameterDescription answers a simple query");
    VALUE memory;
    uint32_t *types = ALLOCV_N(uint32_t, memory, count ? count : 1);
    for (uint16_t at = 0; at < count; at++) types[at] = reader_u32(&reader);
    prepared_t *prepared = prepared_of(request->sent.prepared);
    prepared_learn(prepared, types, count);
    request->answer.typed = true;
    ALLOCV_END(memory);
}

/* The client remembers the parameters' types only when the answer has ended without an error: it may use them on other connections, and after this
 * one has ended. */
static void learn_types(const postgres_request_t *request) {
    if (!request->answer.typed || request->outcome.outdated) return;
    const prepared_t *prepared = prepared_of(request->sent.prepared);
    statement_t *statement = statement_of(request->statement);
    if (prepared->parse_context == statement->parse_context) statement_learn(statement, prepared->types, prepared->type_count, prepared->epoch);
}

/* Ends a command. A script's next statement has its own result. */
static void end_command(postgres_request_t *request) {
    if (request->kind != REQUEST_SCRIPT) {
        request->answer.complete = true;
        return;
    }
    VALUE description = NIL_P(request->answer.description) ? description_empty() : request->answer.description;
    VALUE affected = request->answer.affected < 0 ? Qnil : LL2NUM(request->answer.affected);
    if (NIL_P(request->answer.results)) request->answer.results = rb_ary_new();
    rb_ary_push(request->answer.results, rb_ary_new_from_args(4, description, postgres_request_rows(request), affected, request->answer.tag));
    request->answer.description = request->answer.row = request->answer.rows = Qnil;
    request->answer.affected = -1;
    request->answer.count.rows = 0;
    request->answer.tag = Qnil;
}

/* A script has no statement, so its decoding is its own. */
static VALUE decoding_of(const postgres_request_t *request) {
    return NIL_P(request->statement) ? request->decoding : statement_of(request->statement)->decoding;
}

static VALUE columns_of(const postgres_request_t *request, const frame_t *frame) {
    if (frame->type == 'n') return description_empty();
    return description_from_message(frame->body, frame->length, decoding_of(request));
}

/* In a script, a query that a rule has added has no CommandComplete. */
static void describe_script(postgres_request_t *request, const frame_t *frame) {
    bool added = !NIL_P(request->answer.description);
    if (added) end_command(request);
    request->answer.count.several |= added;
    request->answer.description = columns_of(request, frame);
}

/* An earlier answer's description is used again if the server sends the same message: Ruby has looked up its types. */
static VALUE described_as(VALUE earlier, const postgres_request_t *request, const frame_t *frame) {
    bool same = !NIL_P(earlier) && description_made_from(earlier, frame->body, frame->length);
    return same ? earlier : columns_of(request, frame);
}

/* For a statement that is prepared for one execution. Types that Ruby has to look up may be different for the next one. */
static VALUE described_once(const postgres_request_t *request, const frame_t *frame) {
    statement_t *statement = statement_of(request->statement);
    VALUE description = described_as(statement->description, request, frame);
    if (description_of(description)->plain) statement->description = description;
    return description;
}

/* RowDescription or NoData. */
static void describe(postgres_request_t *request, const frame_t *frame) {
    if (request->kind == REQUEST_SCRIPT) {
        describe_script(request, frame);
        return;
    }
    prepared_t *prepared = prepared_of(request->sent.prepared);
    if (request->answer.order.stage == STAGE_ROWS) prepared->description = described_as(prepared->description, request, frame);
    else prepared->description = prepared->once ? described_once(request, frame) : columns_of(request, frame);
    request->answer.description = prepared->description;
}

/* The description by which rows are decoded: for a statement that was described for an earlier request it is that one, which the server itself checks
 * at each Bind. */
static VALUE description_for(postgres_request_t *request) {
    if (NIL_P(request->answer.description) && !NIL_P(request->sent.prepared) && !request->answer.order.describes_portal) {
        request->answer.description = prepared_of(request->sent.prepared)->description;
    }
    return request->answer.description;
}

static void data_row(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    request->answer.count.rows++;
    if (request->base.done || !NIL_P(request->answer.unreadable)) return; /* the rows are discarded */
    if (NIL_P(description_for(request))) protocol_error("DataRow without a description of its columns");
    if (request->answer.description == description_empty()) protocol_error("DataRow of a statement that returns none");
    VALUE row = row_or_unreadable(session, request, frame);
    if (row == Qundef) return;
    unclaimed_add(&request->unclaimed, frame->length + ROW);
    if (request->flow) {
        flow_add(session, request, row, frame->length);
    } else if (NIL_P(request->answer.row)) {
        request->answer.row = row;
    } else if (NIL_P(request->answer.rows)) {
        request->answer.rows = rb_ary_new_from_args(2, request->answer.row, row);
    } else {
        rb_ary_push(request->answer.rows, row);
    }
}

/* Compares the number of rows with the tag; discarded rows count, too. */
static void check_rows(postgres_request_t *request, const char *tag, size_t length) {
    if (request->kind == REQUEST_SCRIPT) {
        row_count_check_script(&request->answer.count, !NIL_P(request->answer.description), tag, length, request->answer.affected);
        request->answer.count.several = false;
    } else if (request->kind != REQUEST_COPY && !NIL_P(description_for(request)) && request->answer.description != description_empty()) {
        row_count_check(&request->answer.count, request->answer.affected);
    }
}

static void command_complete(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (frame->length == 0 || frame->body[frame->length - 1] != 0) protocol_error("the tag of CommandComplete does not end with its message");
    if (request->flow && request->flow->copy == COPY_IN) protocol_error("CommandComplete for a COPY whose data the client has not ended");
    size_t length = frame->length - 1;
    request->answer.affected = command_tag_rows(frame->body, length);
    if (request->answer.affected < 0) leak_watch_tag(session, frame->body, length); /* a tag with a number of rows leaves no state behind */
    check_rows(request, frame->body, length);
    request->outcome.rolled_back = command_tag_rolled_back(frame->body, length);
    command_effect_note(session, frame->body, length, !NIL_P(request->statement) && !statement_shareable(statement_of(request->statement)));
    if (request->answer.keeps_tag) request->answer.tag = rb_utf8_str_new(frame->body, (long)length);
    end_command(request);
}

static void portal_suspended(postgres_request_t *request) { request->answer.complete = request->answer.suspended = true; }

/* Whether the rows' description is known, or an error or withdrawal explains why not. */
static bool is_described(postgres_request_t *request) {
    return !NIL_P(request->answer.error) || request->sent.withdrawn || !NIL_P(description_for(request));
}

static bool is_atomic_batch(const postgres_request_t *request) { return request->kind == REQUEST_BATCH && request->atomic; }

static bool are_described(const postgres_request_t *batch) {
    for (long at = 0; at < RARRAY_LEN(batch->members); at++) {
        if (!is_described(postgres_request_of(RARRAY_AREF(batch->members, at)))) return false;
    }
    return true;
}

/* Whether the answer is complete. Checked before the request leaves the FIFO, as it cannot fail later. */
static bool answered_in_full(postgres_request_t *request) {
    if (!answer_order_is_complete(&request->answer.order)) return false;
    if (request->answer.unanswered > 0) return !NIL_P(request->answer.error);
    if (is_atomic_batch(request)) return !NIL_P(request->answer.error) || are_described(request);
    return (request->kind != REQUEST_QUERY && request->kind != REQUEST_DESCRIBE) || is_described(request);
}

/* The other members of the unit were rolled back because of the one with the error; or all, if it came at the end. */
static void undo_member(const postgres_request_t *batch, postgres_request_t *member) {
    member->outcome.bystander = true;
    member->outcome.undone = NIL_P(member->answer.error);
}

/* A statement that was to be parsed in a unit that failed before is not prepared. */
static void forget_unparsed(session_state_t *session, const postgres_request_t *member) {
    if (member->sent.parses && !prepared_of(member->sent.prepared)->parsed) slots_drop(session, member->sent.prepared);
}

/* All members of one unit have an effect, or none has. */
static void finish_members(session_state_t *session, const postgres_request_t *batch, VALUE woken) {
    if (!is_atomic_batch(batch)) return;
    for (long at = 0; at < RARRAY_LEN(batch->members); at++) {
        postgres_request_t *member = postgres_request_of(RARRAY_AREF(batch->members, at));
        if (!NIL_P(batch->answer.error) && !member->base.pinned && RARRAY_LEN(batch->members) > 1) undo_member(batch, member);
        if (!NIL_P(batch->answer.error)) forget_unparsed(session, member);
        learn_types(member);
        member->answer.status = batch->answer.status;
        if (batch->outcome.leak != LEAK_NONE) member->outcome.leak = LEAK_OF_UNIT;
        if (request_finish(&member->base)) rb_ary_push(woken, member->base.self);
    }
}

static bool is_cut_short(const postgres_request_t *request) {
    if (NIL_P(request->answer.error)) return false;
    const char *fields = RSTRING_PTR(request->answer.error);
    size_t length = (size_t)RSTRING_LEN(request->answer.error);
    return error_code_begins(fields, length, QUERY_CANCELLED) || error_code_begins(fields, length, FAILED_TRANSACTION);
}

static void ready_for_query(session_state_t *session, const frame_t *frame, double now, VALUE woken) {
    char status = frame->length == 1 ? frame->body[0] : 0;
    if (status != 'I' && status != 'T' && status != 'E') protocol_error("ReadyForQuery has an unknown transaction status");
    VALUE head = answered(session, frame);
    postgres_request_t *request = request_or_null(head);
    if (!(request ? answered_in_full(request) : own_unit_is_complete(session))) protocol_error("ReadyForQuery before the answer was complete");
    if (request) request->base.work.cut_short = is_cut_short(request);
    measure_head(&session->base.in_flight, now);
    in_flight_shift(&session->base.in_flight, now);
    command_effect_status(session, status);
    VALUE altered;
    leak_t leak = leak_found(session, status, &altered);
    if (!request) return own_unit_end(session);
    parse_context_settled(session);
    request->answer.status = status;
    request->outcome.leak = leak;
    request->outcome.altered = altered;
    if (request->answer.notices_left_out > 0) notices_end(session, request);
    if (session->not_utf8) unreadable_texts(request);
    if (NIL_P(request->statement)) finish_members(session, request, woken);
    else learn_types(request);
    if (request_finish(&request->base)) rb_ary_push(woken, head);
    RB_GC_GUARD(head);
}

/* A server binds only as many parameters as it has described. */
static void bind_complete(session_state_t *session, postgres_request_t *request, double now) {
    const prepared_t *prepared = prepared_of(request->sent.prepared);
    if (prepared->known && RARRAY_LEN(request->parameters) != prepared->type_count) protocol_error("BindComplete for another number of parameters");
    request->answer.bound = true;
    if (request->reports_start) in_flight_started(&session->base.in_flight, now);
}

NORETURN(static void unexpected(const frame_t *frame));
static void unexpected(const frame_t *frame) {
    if (frame->type == 'G' || frame->type == 'H' || frame->type == 'W') protocol_error("COPY cannot run here: use copy_in or copy_out");
    if (frame->type == 0 || !strchr("DC21tTnI3scd", frame->type)) protocol_error("the server sent a message of unknown type %d", (unsigned char)frame->type);
    protocol_error("the server sent message '%c', which cannot come at this point of an answer", frame->type);
}

/* A message of the request's own statement, in the expected order. */
static void answer_itself(session_state_t *session, postgres_request_t *request, const frame_t *frame, double now) {
    switch (frame->type) {
    case 'D': data_row(session, request, frame); break;
    case 'C': command_complete(session, request, frame); break;
    case '2': bind_complete(session, request, now); break;
    case 's': portal_suspended(request); break;
    case '1': parse_complete(request); break;
    case 't': parameter_description(request, frame); break;
    case 'T': case 'n': describe(request, frame); break;
    case 'I': end_command(request); break; /* EmptyQueryResponse */
    case 'G': case 'H': copy_begin(request, frame); break;
    case 'd': copy_data(session, request, frame); break;
    case 'c': copy_done(request); break;
    default: unexpected(frame);
    }
}

static void answer(session_state_t *session, postgres_request_t *request, const frame_t *frame, double now) {
    if (frame->type == 'E') {
        error_answer_take(session, request, frame);
    } else {
        switch (answer_order_take(&request->answer.order, frame->type)) {
        case PART_OWN: answer_itself(session, request, frame, now); break;
        case PART_UNEXPECTED: unexpected(frame);
        case PART_PREAMBLE: case PART_CHECK: case PART_TYPES: case PART_LIMIT: break; /* their results are ignored */
        }
    }
}

/* The members of an atomic batch are answered one after the other. The error of one is the error of all. */
static void answer_batch(session_state_t *session, postgres_request_t *batch, const frame_t *frame, double now) {
    if (!NIL_P(batch->answer.error) && frame->type != 'E') unexpected(frame);
    postgres_request_t *member = member_in_progress(batch);
    answer(session, member, frame, now);
    if (member == batch) return;
    if (member->answer.complete) batch->answer.unanswered--;
    if (NIL_P(batch->answer.error)) batch->answer.error = member->answer.error;
}

static void answer_own_unit(session_state_t *session, const frame_t *frame) {
    own_unit_answer(session, frame);
    if (frame->type == 'E') error_answer_take_own(session, frame);
}

static void take(session_state_t *session, const frame_t *frame, double now, VALUE woken) {
    if (frame->type == 'Z') {
        ready_for_query(session, frame, now, woken);
    } else if (!asynchronous_take(session, frame)) {
        VALUE head = answered(session, frame);
        postgres_request_t *request = request_or_null(head);
        if (!request) answer_own_unit(session, frame);
        else if (request->answer.unanswered > 0) answer_batch(session, request, frame, now);
        else answer(session, request, frame, now);
        RB_GC_GUARD(head); /* Ruby may decode a value: another thread may close the connection meanwhile, and drop the request */
    }
}

/* Skips a message that is longer than max_message: for a row the request becomes unreadable, a notice or notification is left out, and any other
 * raises ProtocolError. */
static void skip_message(session_state_t *session, const frame_t *frame) {
    const request_t *head = fifo_head_request(&session->base.in_flight.fifo);
    postgres_request_t *request = head ? member_in_progress(postgres_request_of(head->self)) : NULL;
    bool row = frame->type == 'D' || frame->type == 'd', news = frame->type == 'N' || frame->type == 'A';
    if (!news && !(row && request)) {
        protocol_error("a message of %"PRIuSIZE" bytes, where max_message is %"PRIuSIZE, frame->size, session->message_limit);
    }
    if (row) {
        answer_part_t part = answer_order_take(&request->answer.order, frame->type);
        if (part == PART_UNEXPECTED) unexpected(frame);
        if (part == PART_OWN) {
            request->answer.count.rows++;
            unreadable_row(session, request, frame->size);
        }
    } else if (frame->type == 'N' && request) {
        request->answer.notices_left_out++;
    } else if (frame->type == 'A') {
        session->notifications_left_out = true;
    }
    session->skipping = frame->size;
}

/* True: the message is skipped completely. */
static bool skip(session_state_t *session, buffer_t *input) {
    size_t there = buffer_size(input), size = there < session->skipping ? there : session->skipping;
    buffer_consume(input, size);
    session->skipping -= size;
    return session->skipping == 0;
}

/* Whether the message is a row that Ruby decodes or refuses: there an interrupt may be raised. */
static bool runs_ruby(session_state_t *session, const frame_t *frame) {
    const request_t *head = fifo_head_request(&session->base.in_flight.fifo);
    if ((frame->type != 'D' && frame->type != 'd') || !head) return false;
    VALUE description = description_for(member_in_progress(postgres_request_of(head->self)));
    return frame->size > session->message_limit || (!NIL_P(description) && description_of(description)->calls_ruby);
}

void receive(session_state_t *session, VALUE woken) {
    buffer_t *input = bytes_buffer(session->base.input);
    bool interruptible = session->base.interruptible;
    session->base.interruptible = session->base.paused = false;
    double now = clock_now();
    plan_epoch_check(session->epoch, now);
    frame_t frame;
    while (!session->halted && (session->skipping == 0 || skip(session, input))) {
        frame_status_t status = frame_read(buffer_bytes(input), buffer_size(input), session->message_limit, &frame);
        session->base.paused = interruptible && (status == FRAME_WHOLE || status == FRAME_TOO_LONG) && runs_ruby(session, &frame);
        if (session->base.paused) return;
        switch (status) {
        case FRAME_PARTIAL:
            if (!buffer_reserve(input, frame.size - buffer_size(input))) rb_memerror();
            return;
        case FRAME_BROKEN: protocol_error("a message of impossible length: is this a PostgreSQL server?");
        case FRAME_TOO_LONG: skip_message(session, &frame); continue;
        case FRAME_WHOLE: break;
        }
        take(session, &frame, now, woken);
        buffer_consume(input, frame.size);
    }
}
