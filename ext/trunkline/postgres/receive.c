#include "receive.h"

#include <ruby/encoding.h>
#include <string.h>
#include "command_tag.h"
#include "description.h"
#include "error_code.h"
#include "flow.h"
#include "frame.h"
#include "leak.h"
#include "meaning.h"
#include "plan_epoch.h"
#include "row.h"
#include "statement.h"
#include "../bytes/reader.h"
#include "../socket/bytes_class.h"
#include "../trunk/clock.h"
#include "../trunk/measure.h"
#include "../trunk/protocol_error.h"

#define UNKNOWN_STATEMENT "26000"
#define NAME_IN_USE "42P05"
#define CHANGED_RESULT "0A000" /* "cached plan must not change result type" is the one that comes before BindComplete */
#define CANCELLED "57014"

#define MOST_NOTIFICATIONS 100000

static VALUE body_string(const frame_t *frame) { return rb_str_new(frame->body, frame->length); }

/* The request that a message answers; NULL for a unit of the codec's own, whose answers mean nothing. */
static postgres_request_t *answered(session_state_t *session, const frame_t *frame) {
    VALUE head = fifo_head(&session->base.in_flight);
    if (head == Qundef) protocol_error("the server sent message '%c' that answers nothing", frame->type);
    return NIL_P(head) ? NULL : postgres_request_of(head);
}

static void parse_complete(postgres_request_t *request) {
    if (request->parses) prepared_of(request->prepared)->parsed = true;
}

static void parameter_description(postgres_request_t *request, const frame_t *frame) {
    reader_t reader = reader_of(frame->body, frame->length);
    uint16_t count = reader_u16(&reader);
    if (!reader.whole || reader_left(&reader) != count * sizeof(uint32_t)) protocol_error("ParameterDescription has another length than its count");
    if (NIL_P(request->prepared)) protocol_error("ParameterDescription answers a simple query");
    VALUE memory;
    uint32_t *types = ALLOCV_N(uint32_t, memory, count ? count : 1);
    for (uint16_t at = 0; at < count; at++) types[at] = reader_u32(&reader);
    prepared_t *prepared = prepared_of(request->prepared);
    prepared_learn(prepared, types, count);
    statement_t *statement = statement_of(request->statement);
    if (prepared->meaning == statement->meaning) statement_learn(statement, types, count, prepared->epoch);
    ALLOCV_END(memory);
}

static void describe(postgres_request_t *request, VALUE description) {
    if (request->kind != REQUEST_SCRIPT && NIL_P(request->prepared)) protocol_error("a description of rows where none was asked for");
    request->description = description;
    if (request->kind != REQUEST_SCRIPT) prepared_of(request->prepared)->description = description;
}

/* A script has no statement, and its values come as usual. */
static VALUE decoding_of(const postgres_request_t *request) {
    return NIL_P(request->statement) ? Qnil : statement_of(request->statement)->decoding;
}

static void data_row(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (request->base.done) return; /* given up: the rows are for nobody */
    if (NIL_P(request->description) && !NIL_P(request->prepared)) request->description = prepared_of(request->prepared)->description;
    if (NIL_P(request->description)) protocol_error("DataRow without a description of its columns");
    if (request->complete || request->kind == REQUEST_COPY) protocol_error("DataRow behind the end of its command");
    VALUE row = row_decode(description_of(request->description), request->binary, frame->body, frame->length);
    if (request->flow) {
        flow_add(session, request, row, frame->length);
    } else if (NIL_P(request->row)) {
        request->row = row;
    } else if (NIL_P(request->rows)) {
        request->rows = rb_ary_new_from_args(2, request->row, row);
    } else {
        rb_ary_push(request->rows, row);
    }
}

/* The end of a command. A script's next statement starts afresh. */
static void end_command(postgres_request_t *request) {
    if (request->kind != REQUEST_SCRIPT) {
        request->complete = true;
        return;
    }
    VALUE description = NIL_P(request->description) ? description_empty() : request->description;
    VALUE affected = request->affected < 0 ? Qnil : LL2NUM(request->affected);
    if (NIL_P(request->results)) request->results = rb_ary_new();
    rb_ary_push(request->results, rb_ary_new_from_args(3, description, postgres_request_rows(request), affected));
    request->description = request->row = request->rows = Qnil;
    request->affected = -1;
}

/* What the command has done to the prepared statements: this session's, or everybody's. */
static void note_command(session_state_t *session, const char *tag, size_t length) {
    switch (command_tag_effect(tag, length)) {
    case COMMAND_FORGETS_STATEMENTS: slots_forget(session); break;
    case COMMAND_CHANGES_SCHEMA:
        session->schema_changed = true;
        plan_epoch_end(session->epoch, *session->epoch);
        break;
    case COMMAND_AS_ANY: break;
    }
    if (session->schema_changed && command_tag_rolled_back(tag, length)) plan_epoch_end(session->epoch, *session->epoch);
}

/* With the transaction its changes of the schema come to light, or are undone: what was prepared meanwhile is old either way. */
static void note_status(session_state_t *session, char status) {
    if (status == 'I') {
        if (session->schema_changed && session->in_block) plan_epoch_end(session->epoch, *session->epoch);
        session->schema_changed = false;
    }
    session->in_block = status != 'I';
}

static void command_complete(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    size_t length = frame->length > 0 ? frame->length - 1 : 0;
    request->affected = command_tag_rows(frame->body, length);
    if (request->affected < 0) leak_watch_tag(session, frame->body, length); /* what counts rows leaves nothing but rows */
    request->rolled_back = command_tag_rolled_back(frame->body, length);
    note_command(session, frame->body, length);
    end_command(request);
}

static void portal_suspended(postgres_request_t *request) {
    if (NIL_P(request->portal)) protocol_error("PortalSuspended, though all rows were asked for");
    request->complete = request->suspended = true;
}

static bool has_code(const frame_t *frame, const char *code) { return error_code_begins(frame->body, frame->length, code); }

/* What servers say of a statement that they have lost, or whose plan or parameter types fit no more, as its tables, types or
 * functions are not the ones that it was prepared for; and of a value that none of this would mend. */
static bool blames_statement(const frame_t *frame) {
    static const char *const codes[] = {UNKNOWN_STATEMENT, CHANGED_RESULT, "22", "42", "XX000"};
    for (size_t at = 0; at < sizeof codes / sizeof *codes; at++) {
        if (has_code(frame, codes[at])) return true;
    }
    return false;
}

/* An error before BindComplete: was it for what is remembered of the statement? */
static void suspect_statement(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    const prepared_t *prepared = prepared_of(request->prepared);
    bool parse_failed = request->parses && !prepared->parsed, suspect = request->ahead == 0 && blames_statement(frame);
    if (suspect && prepared->parsed && has_code(frame, UNKNOWN_STATEMENT)) {
        slots_forget(session); /* one that was there is lost: so are the others, as far as anybody can tell */
    } else if (parse_failed || suspect) {
        slots_drop(session, request->prepared);
    }
    request->outdated = suspect && (!request->parses || request->told || has_code(frame, NAME_IN_USE));
    if (!request->outdated) return;
    request->forgotten = has_code(frame, UNKNOWN_STATEMENT) || has_code(frame, CHANGED_RESULT);
    if (has_code(frame, CHANGED_RESULT)) plan_epoch_end(session->epoch, prepared->epoch);
    if (!has_code(frame, UNKNOWN_STATEMENT)) statement_of(request->statement)->known = false;
}

static void error_response(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    if (NIL_P(request->error)) request->error = body_string(frame);
    if (error_is_fatal(frame->body, frame->length)) session->base.farewell = body_string(frame);
    if (session->cancelling && !request->cancelled) request->bystander = has_code(frame, CANCELLED);
    if (request->limit_open && has_code(frame, UNKNOWN_STATEMENT)) session->limits = false;
    if (!NIL_P(request->prepared) && !request->bound) suspect_statement(session, request, frame);
}

/* The one that the server works on within a unit of several. */
static postgres_request_t *current(postgres_request_t *request) {
    long count = request->kind == REQUEST_BATCH ? RARRAY_LEN(request->members) : 0;
    if (request->ahead == 0 || request->ahead > count) return request;
    return postgres_request_of(RARRAY_AREF(request->members, count - request->ahead));
}

static void notice_response(session_state_t *session, postgres_request_t *request, const frame_t *frame) {
    request = current(request);
    if (request->flow) {
        flow_note(session, request, body_string(frame), frame->length);
        return;
    }
    if (NIL_P(request->notices)) request->notices = rb_ary_new();
    rb_ary_push(request->notices, body_string(frame));
}

/* Has the server said all that it was asked? */
static bool answered_in_full(const postgres_request_t *request) {
    if (!NIL_P(request->error) || request->withdrawn) return true;
    if (request->ahead > 0) return false;
    if (request->kind == REQUEST_SCRIPT) return !NIL_P(request->results);
    if (request->kind == REQUEST_FENCE || request->kind == REQUEST_BATCH) return true;
    if (request->kind == REQUEST_COPY) return request->complete;
    return !NIL_P(request->description) && (request->complete || request->kind == REQUEST_DESCRIBE);
}

/* The others of the unit were undone for the sake of the one with the error; or of any, where it came at the end. */
static void undo_member(const postgres_request_t *batch, postgres_request_t *member) {
    member->bystander = true;
    if (NIL_P(member->error)) member->base.failure = Qfalse;
}

/* What was done in one unit stands, or falls, together. */
static void finish_members(const postgres_request_t *batch, VALUE woken) {
    if (batch->kind != REQUEST_BATCH || !batch->atomic) return;
    for (long at = 0; at < RARRAY_LEN(batch->members); at++) {
        postgres_request_t *member = postgres_request_of(RARRAY_AREF(batch->members, at));
        if (!NIL_P(batch->error) && !member->base.pinned && RARRAY_LEN(batch->members) > 1) undo_member(batch, member);
        if (NIL_P(member->description)) member->description = prepared_of(member->prepared)->description;
        member->status = batch->status;
        member->leaked = batch->leaked;
        if (request_finish(&member->base)) rb_ary_push(woken, member->base.self);
    }
}

static void ready_for_query(session_state_t *session, const frame_t *frame, double now, VALUE woken) {
    if (frame->length != 1) protocol_error("ReadyForQuery has %d bytes", (int)frame->length);
    postgres_request_t *request = answered(session, frame);
    if (request && NIL_P(request->description) && !NIL_P(request->prepared)) request->description = prepared_of(request->prepared)->description;
    if (request && !answered_in_full(request)) protocol_error("ReadyForQuery before the answer was complete");
    measure(&session->base.in_flight, now);
    VALUE head = fifo_shift(&session->base.in_flight, now);
    char status = frame->body[0];
    note_status(session, status);
    bool leaked = leak_found(session, status);
    if (!request) return;
    meaning_settled(session);
    request->status = status;
    request->leaked = leaked;
    if (NIL_P(request->statement)) finish_members(request, woken);
    if (request_finish(&request->base)) rb_ary_push(woken, head);
    RB_GC_GUARD(head);
}

static void parameter_status(session_state_t *session, const frame_t *frame, bool answering) {
    reader_t reader = reader_of(frame->body, frame->length);
    size_t name_length, value_length;
    const char *name = reader_string(&reader, &name_length), *value = reader_string(&reader, &value_length);
    if (!reader.whole) protocol_error("ParameterStatus ends too early");
    VALUE key = rb_enc_interned_str(name, name_length, rb_utf8_encoding()), setting = rb_utf8_str_new(value, value_length);
    rb_hash_aset(session->parameters, key, setting);
    leak_watch_setting(session, key, setting, answering);
    if (answering) meaning_watch_setting(session, name);
}

/* What nobody takes makes room for what comes. */
static void notification_response(session_state_t *session, const frame_t *frame) {
    if (RARRAY_LEN(session->notifications) >= MOST_NOTIFICATIONS) rb_ary_shift(session->notifications);
    rb_ary_push(session->notifications, body_string(frame));
}

/* Messages that may come at any time, whoever is being answered. */
static bool asynchronous(session_state_t *session, const frame_t *frame) {
    VALUE head = fifo_head(&session->base.in_flight);
    switch (frame->type) {
    case 'S': parameter_status(session, frame, head != Qundef); return true;
    case 'A': notification_response(session, frame); return true;
    case 'N':
        if (head != Qundef && !NIL_P(head)) notice_response(session, postgres_request_of(head), frame);
        return true;
    case 'E':
        if (head != Qundef) return false;
        session->base.farewell = body_string(frame);
        return true;
    default: return false;
    }
}

static void answer(session_state_t *session, postgres_request_t *request, const frame_t *frame, double now);

/* Its error is that of all. */
static void answer_member(session_state_t *session, postgres_request_t *batch, postgres_request_t *member, const frame_t *frame, double now) {
    answer(session, member, frame, now);
    if (member->complete) batch->ahead--;
    if (NIL_P(batch->error)) batch->error = member->error;
}

/* Does the message answer what the unit runs before the statement, or instead of one? */
static bool answers_ahead(session_state_t *session, postgres_request_t *request, const frame_t *frame, double now) {
    if (request->ahead == 0) return false;
    postgres_request_t *member = current(request);
    if (member != request) {
        answer_member(session, request, member, frame, now);
        return true;
    }
    if (frame->type == 'C') request->ahead--;
    return frame->type == 'C' || frame->type == '1' || frame->type == '2' || frame->type == 'D';
}

/* Is it of the answer to the limit, which comes before that to the request itself? */
static bool answers_limit(postgres_request_t *request, const frame_t *frame) {
    if (frame->type != '2' && frame->type != 'D' && frame->type != 'C') return false;
    request->limit_open = frame->type != 'C';
    return true;
}

static void bind_complete(session_state_t *session, postgres_request_t *request, double now) {
    request->bound = true;
    if (request->announced) fifo_begin(&session->base.in_flight, now);
}

static void answer(session_state_t *session, postgres_request_t *request, const frame_t *frame, double now) {
    if (answers_ahead(session, request, frame, now)) return;
    if (request->limit_open && answers_limit(request, frame)) return;
    switch (frame->type) {
    case 'D': data_row(session, request, frame); break;
    case 'C': command_complete(session, request, frame); break;
    case '2': bind_complete(session, request, now); break;
    case 's': portal_suspended(request); break;
    case '1': parse_complete(request); break;
    case 't': parameter_description(request, frame); break;
    case 'T': describe(request, description_from_message(frame->body, frame->length, decoding_of(request))); break;
    case 'n': describe(request, description_empty()); break;
    case 'I': end_command(request); break; /* EmptyQueryResponse */
    case 'E': error_response(session, request, frame); break;
    case 'G': case 'H': case 'W': copy_begin(request, frame); break;
    case 'd': copy_data(session, request, frame); break;
    case 'c': copy_done(request); break;
    default: protocol_error("the server sent a message of unknown type %d", (unsigned char)frame->type);
    }
}

static void take(session_state_t *session, const frame_t *frame, double now, VALUE woken) {
    if (frame->type == 'Z') {
        ready_for_query(session, frame, now, woken);
    } else if (!asynchronous(session, frame)) {
        postgres_request_t *request = answered(session, frame);
        if (request) answer(session, request, frame, now);
    }
}

void receive(session_state_t *session, VALUE woken) {
    buffer_t *input = bytes_buffer(session->base.input);
    double now = clock_now();
    frame_t frame;
    while (!session->halted) {
        switch (frame_read(buffer_bytes(input), buffer_size(input), session->message_limit, &frame)) {
        case FRAME_PARTIAL:
            if (!buffer_reserve(input, frame.size - buffer_size(input))) rb_memerror();
            return;
        case FRAME_BROKEN: protocol_error("a message of impossible length: is this a PostgreSQL server?");
        case FRAME_TOO_LONG: protocol_error("a message of %"PRIuSIZE" bytes, where %"PRIuSIZE" are the most", frame.size, session->message_limit);
        case FRAME_WHOLE: break;
        }
        take(session, &frame, now, woken);
        buffer_consume(input, frame.size);
    }
}
