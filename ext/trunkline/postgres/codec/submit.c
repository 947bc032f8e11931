#include "submit.h"

#include <string.h>
#include "../messages/bind.h"
#include "../rows/description.h"
#include "statement_timeout.h"
#include "../session/parse_context.h"
#include "../answers/read_guard.h"
#include "../answers/own_unit.h"
#include "../statements/statement.h"
#include "../answers/types_check.h"
#include "../../socket/bytes_class.h"
#include "../../trunk/runtime/clock.h"

static span_t string_span(VALUE string) { return (span_t){RSTRING_PTR(string), RSTRING_LEN(string)}; }

/* Removes what was appended, and raises: there was no memory for all of a unit, or one of its messages is too long. */
NORETURN(static void take_back(buffer_t *output, size_t size));
static void take_back(buffer_t *output, size_t size) {
    size_t appended = buffer_size(output) - size;
    output->tail = output->head + size;
    if (appended > LONGEST_MESSAGE) rb_raise(rb_eArgError, "the statement, its parameters or its settings have %"PRIuSIZE" bytes, and the server takes %d of each at most", appended, LONGEST_MESSAGE);
    rb_memerror();
}

/* Returns the number of Close messages; -1: there was no memory. */
static long append_closes(session_state_t *session, buffer_t *output) {
    long closes = 0;
    for (long at = 0; at < RARRAY_LEN(session->closing); at++) {
        const prepared_t *prepared = prepared_of(RARRAY_AREF(session->closing, at));
        if (!frontend_close_statement(output, prepared_name(prepared))) return -1;
        if (prepared->check[0] && !frontend_close_statement(output, prepared_check(prepared))) return -1;
        closes += prepared->check[0] ? 2 : 1;
    }
    return frontend_sync(output) ? closes : -1;
}

/* Closes statements in a separate unit: an error before them would skip them. */
static void submit_closes(session_state_t *session, buffer_t *output) {
    size_t before = buffer_size(output);
    long closes = append_closes(session, output);
    if (closes < 0) take_back(output, before);
    session->base.in_flight.appended += buffer_size(output) - before;
    own_unit_of_closes(session, closes);
    rb_ary_clear(session->closing);
}

static void submit_command(session_state_t *session, buffer_t *output, const char *command) {
    size_t before = buffer_size(output);
    if (!frontend_query(output, (span_t){command, strlen(command)})) take_back(output, before);
    session->base.in_flight.appended += buffer_size(output) - before;
    own_unit_of_command(session);
}

/* Discards the plans of functions that were made under other settings, before a unit that would use them. */
static void submit_discard_plans(session_state_t *session, buffer_t *output, VALUE statement) {
    if (parse_context_needs_other_plans(session, NIL_P(statement) ? NULL : statement_of(statement))) submit_command(session, output, "DISCARD PLANS");
}

/* currval and lastval must return the caller's own numbers only. */
static void submit_discard_sequences(session_state_t *session, buffer_t *output) {
    if (!session->discards_sequences) return;
    submit_command(session, output, "DISCARD SEQUENCES");
    session->discards_sequences = false;
}

/* Parse with the parameter types that the client declares, and Parse of the column check. */
static bool append_parse(buffer_t *output, const prepared_t *prepared) {
    statement_t *statement = statement_of(prepared->statement);
    const uint32_t *types = prepared_declared(prepared);
    return frontend_parse(output, prepared_name(prepared), string_span(statement->sql), types, types ? prepared->type_count : 0) &&
           (!prepared->check[0] || frontend_parse(output, prepared_check(prepared), string_span(statement->column_check), NULL, 0));
}

static bool append_execution(buffer_t *output, postgres_request_t *request, const prepared_t *prepared) {
    bool typed = !request->sent.other_backend && RARRAY_LEN(request->parameters) == prepared->type_count;
    const uint32_t *types = request->sent.checks_types ? prepared->types : prepared_declared(prepared);
    span_t portal = NIL_P(request->portal) ? (span_t){"", 0} : string_span(request->portal);
    return bind_append(output, portal, prepared_name(prepared), request->parameters, typed ? types : NULL, request->answer.binary) &&
           (!request->answer.order.describes_portal || frontend_describe_portal(output, portal)) &&
           (!request->reports_start || frontend_flush(output)) &&
           (NIL_P(request->portal) ? frontend_execute(output) : frontend_execute_portal(output, portal, request->fetches));
}

static long preamble_length(const postgres_request_t *request) { return NIL_P(request->preamble) ? 0 : RARRAY_LEN(request->preamble); }

/* The guard must come directly before the request's own statement. */
static bool append_preamble(const session_state_t *session, buffer_t *output, const postgres_request_t *request) {
    for (long at = 0; at < preamble_length(request); at++) {
        if (!frontend_run(output, string_span(RARRAY_AREF(request->preamble, at)))) return false;
    }
    return NIL_P(request->guard) || read_guard_append(session, output, request);
}

/* A query's unit without Sync. */
static bool append_messages(const session_state_t *session, buffer_t *output, postgres_request_t *request) {
    prepared_t *prepared = prepared_of(request->sent.prepared);
    size_t before = buffer_size(output);
    if (!append_preamble(session, output, request)) return false;
    if (request->sent.parses && !append_parse(output, prepared)) return false;
    if (request->sent.describes && !frontend_describe_statement(output, prepared_name(prepared))) return false;
    if (request->answer.order.checks && !frontend_describe_statement(output, prepared_check(prepared))) return false;
    if (request->sent.checks_types && !types_check_append(output, request, prepared_name(prepared))) return false;
    request->sent.effect = buffer_size(output) - before;
    if (request->base.has_server_timeout && !statement_timeout_append(output, request)) return false;
    if (request->kind == REQUEST_QUERY && !append_execution(output, request, prepared)) return false;
    request->sent.effect_size = request->answer.order.preamble > 0 ? 0 : buffer_size(output) - before - request->sent.effect;
    return true;
}

/* The members go over the same connection as their batch. */
static postgres_request_t *member_of(const postgres_request_t *batch, long at) {
    postgres_request_t *member = postgres_request_of(RARRAY_AREF(batch->members, at));
    member->base.pinned = batch->base.pinned;
    return member;
}

static bool append_members(const session_state_t *session, buffer_t *output, const postgres_request_t *batch) {
    for (long at = 0; at < RARRAY_LEN(batch->members); at++) {
        if (!append_messages(session, output, member_of(batch, at))) return false;
    }
    return true;
}

static bool append_unit(const session_state_t *session, buffer_t *output, postgres_request_t *request) {
    switch (request->kind) {
    case REQUEST_SCRIPT: case REQUEST_COPY: return frontend_query(output, string_span(request->script));
    case REQUEST_FENCE: return frontend_sync(output);
    case REQUEST_FETCH: return frontend_execute_portal(output, string_span(request->portal), request->fetches) && frontend_sync(output);
    case REQUEST_BATCH:
        if (request->atomic && (!append_preamble(session, output, request) || !append_members(session, output, request))) return false;
        return frontend_sync(output);
    default: return append_messages(session, output, request) && frontend_sync(output);
    }
}

/* Whether the request's parameters were converted for the types that the session has. */
static bool fits(const postgres_request_t *request, const prepared_t *prepared) {
    if (NIL_P(request->types)) return true;
    if (!prepared->types || prepared->type_count != RARRAY_LEN(request->types)) return false;
    for (uint16_t at = 0; at < prepared->type_count; at++) {
        if (NUM2UINT(RARRAY_AREF(request->types, at)) != prepared->types[at]) return false;
    }
    return true;
}

/* Remembers the types that the caller has declared, or else those that the parameters were converted for, or that the client remembers. The latter may
 * be older than the table, and the server casts from declared types: a value that is cast is not the value that was given. So they are declared only
 * where the values' form depends on them and the server cannot compare them; what writes is cast from any type. */
static void remember_types(prepared_t *prepared, const postgres_request_t *request, bool compared) {
    const statement_t *statement = statement_of(request->statement);
    bool writes = !NIL_P(statement->column_check) && NIL_P(statement->compared);
    if (statement->declared) return prepared_learn(prepared, statement->types, statement->type_count);
    if (NIL_P(request->types)) return prepared_expect(prepared, statement->types, statement->type_count, DECLARE_NONE);
    uint16_t count = (uint16_t)RARRAY_LEN(request->types);
    VALUE memory;
    uint32_t *types = ALLOCV_N(uint32_t, memory, count ? count : 1);
    for (uint16_t at = 0; at < count; at++) types[at] = NUM2UINT(RARRAY_AREF(request->types, at));
    prepared_expect(prepared, types, count, compared ? DECLARE_NONE : writes ? DECLARE_BYTES : DECLARE_FORMS);
    ALLOCV_END(memory);
}

/* Whether the session keeps what it prepares for the request. */
static bool is_named(const session_state_t *session, const postgres_request_t *request) {
    return session->prefix[0] != 0 && !request->unnamed && statement_kept(statement_of(request->statement));
}

/* The server compares types of named statements only. One that the session does not keep is closed after its execution, and needs no column check. */
static VALUE prepare(session_state_t *session, const postgres_request_t *request) {
    bool kept = is_named(session, request), compared = types_check_possible(session, request);
    span_t prefix = {session->prefix, kept || compared ? strlen(session->prefix) : 0};
    VALUE created = prepared_create(request->statement, prefix, ++session->name_count);
    prepared_of(created)->once = !kept;
    if (!kept) prepared_of(created)->check[0] = 0;
    prepared_of(created)->epoch = session->epoch->number;
    prepared_of(created)->parse_context = parse_context_of(session, statement_of(request->statement));
    if (request->sent.types_declared || compared) remember_types(prepared_of(created), request, compared);
    return created;
}

/* Whether the server fails the statement if its result is not as described. A pooler may have prepared it again, perhaps after ALTER TABLE: then it
 * may return other columns, and take parameters of other types. */
static bool is_checked(const postgres_request_t *request) {
    return statement_of(request->statement)->checked_result && !request->sent.other_backend;
}

/* Whether it was prepared before the client has known that its statement needs a column check. A check that is prepared later than its statement might
 * already have a column's new type. */
static bool lacks_check(const prepared_t *prepared) { return !prepared->check[0] && !NIL_P(statement_of(prepared->statement)->column_check); }

/* Chooses the session's Prepared of the statement. If there is none, or it has other types, the statement is parsed in this unit; for a retry always,
 * without remembered types. */
static void choose_prepared(session_state_t *session, postgres_request_t *request) {
    VALUE statement = request->statement;
    VALUE found = is_named(session, request) ? slots_find(session, statement, statement_of(statement)->slot) : Qnil;
    if (!NIL_P(found) && (request->anew || !fits(request, prepared_of(found)) || lacks_check(prepared_of(found)))) {
        slots_drop(session, found);
        found = Qnil;
    }
    request->sent.parses = NIL_P(found);
    request->sent.other_backend = session->pooled && !request->sent.parses;
    request->sent.describes = request->sent.parses || request->kind == REQUEST_DESCRIBE;
    bool remembered = statement_known(statement_of(statement)) && parse_context_is_statements(session, statement_of(statement));
    request->sent.types_declared = request->sent.parses && !request->anew && (remembered || !NIL_P(request->types));
    request->sent.prepared = request->sent.parses ? prepare(session, request) : found;
    request->sent.checks_types = !prepared_of(request->sent.prepared)->known && types_check_possible(session, request);
    bool checked = is_checked(request) || request->kind == REQUEST_DESCRIBE;
    VALUE description = request->answer.description = checked ? prepared_of(request->sent.prepared)->description : Qnil;
    request->answer.binary = statement_of(statement)->bytes || (!NIL_P(description) && description_of(description)->binary);
}

/* Determines which messages the answer has. Results that the server does not check are described for each portal, and come as text. */
static void order_answer(const session_state_t *session, postgres_request_t *request) {
    bool checked = !NIL_P(request->statement) && prepared_of(request->sent.prepared)->check[0];
    bool plain = NIL_P(request->preamble) && NIL_P(request->guard) && !request->base.has_server_timeout && !request->sent.checks_types;
    if (request->kind == REQUEST_QUERY && !request->sent.parses && plain && !checked) {
        request->answer.order = (answer_order_t){.stage = STAGE_BIND, .executes = true, .fetches = !NIL_P(request->portal),
                                          .describes_portal = !is_checked(request)};
        return;
    }
    bool guarded = !NIL_P(request->guard);
    answer_order_t order = {.preamble = (uint32_t)(preamble_length(request) + guarded), .guarded = guarded && read_guard_is_kept(session)};
    if (!NIL_P(request->statement)) {
        order.parses = request->sent.parses;
        order.parses_check = checked && request->sent.parses;
        order.checks = checked && (!request->sent.parses || session->pooled) && request->kind == REQUEST_QUERY;
        order.describes = request->sent.describes;
        order.checks_types = request->sent.checks_types;
        order.limited = request->base.has_server_timeout;
        order.executes = request->kind == REQUEST_QUERY;
        order.describes_portal = order.executes && !is_checked(request);
        order.fetches = !NIL_P(request->portal);
    }
    answer_order_begin(&order);
    if (request->kind == REQUEST_SCRIPT) order.stage = STAGE_SCRIPT;
    if (request->kind == REQUEST_COPY) order.stage = STAGE_COPY;
    if (request->kind == REQUEST_FETCH) order = (answer_order_t){.stage = STAGE_ROWS, .fetches = true};
    request->answer.order = order;
}

/* Prepares what the request's unit executes before its own statement. */
static void limit(session_state_t *session, buffer_t *output, postgres_request_t *request) {
    if (request->sent.checks_types) types_check_prepare(session, output);
    request->base.has_server_timeout = statement_timeout_wanted(session, request);
    if (request->base.has_server_timeout) statement_timeout_prepare(session, output);
}

/* Requests behind may bind what this one parses. */
static void keep_prepared(session_state_t *session, const postgres_request_t *request) {
    if (request->sent.parses && is_named(session, request)) slots_put(session, statement_of(request->statement)->slot, request->sent.prepared);
}

/* With the next unit. */
static void close_unkept(session_state_t *session, const postgres_request_t *request) {
    if (request->sent.parses && prepared_of(request->sent.prepared)->once) slots_drop(session, request->sent.prepared);
}

static void append_and_push(session_state_t *session, buffer_t *output, postgres_request_t *request) {
    size_t before = buffer_size(output);
    if (!append_unit(session, output, request)) take_back(output, before);
    request->base.offset = session->base.in_flight.appended;
    session->base.in_flight.appended += buffer_size(output) - before;
    in_flight_push(&session->base.in_flight, request->base.self);
}

static void submit_unit(session_state_t *session, buffer_t *output, postgres_request_t *request) {
    if (request->kind != REQUEST_FENCE && request->kind != REQUEST_FETCH && !request->calls_nothing) submit_discard_plans(session, output, request->statement);
    if (!NIL_P(request->statement)) choose_prepared(session, request);
    if (RARRAY_LEN(session->closing) > 0) submit_closes(session, output);
    request->reports_start = in_flight_wants_start_report(&session->base.in_flight, &request->base);
    limit(session, output, request);
    read_guard_prepare(session, output, request);
    order_answer(session, request);
    append_and_push(session, output, request);
    keep_prepared(session, request);
    close_unkept(session, request);
    if (request->outcome.changes_parse_context) parse_context_change(session, request->outcome.changes_plans);
}

/* Members may have the same statement, which is parsed once. What needs a separate unit precedes theirs. */
static void submit_atomic(session_state_t *session, buffer_t *output, postgres_request_t *batch) {
    long count = RARRAY_LEN(batch->members);
    batch->answer.unanswered = count;
    batch->base.work.cost = 0;
    submit_discard_plans(session, output, member_of(batch, 0)->statement);
    for (long at = 0; at < count; at++) {
        postgres_request_t *member = member_of(batch, at);
        choose_prepared(session, member);
        keep_prepared(session, member);
        if (member->outcome.changes_parse_context) parse_context_change(session, member->outcome.changes_plans);
        batch->base.work.cost += member->base.work.cost;
    }
    if (RARRAY_LEN(session->closing) > 0) submit_closes(session, output);
    for (long at = 0; at < count; at++) {
        limit(session, output, member_of(batch, at));
        order_answer(session, member_of(batch, at));
    }
    read_guard_prepare(session, output, batch);
    order_answer(session, batch);
    append_and_push(session, output, batch);
    for (long at = 0; at < count; at++) close_unkept(session, member_of(batch, at));
}

/* The batch's preamble runs before the first member. */
static void submit_members(session_state_t *session, buffer_t *output, postgres_request_t *batch) {
    if (!NIL_P(batch->preamble)) member_of(batch, 0)->preamble = batch->preamble;
    for (long at = 0; at < RARRAY_LEN(batch->members); at++) submit_unit(session, output, member_of(batch, at));
    append_and_push(session, output, batch);
}

bool submit(session_state_t *session, VALUE object) {
    postgres_request_t *request = postgres_request_checked(object);
    buffer_t *output = bytes_buffer(session->base.output);
    if (session->base.closed || request_deadline_passed(&request->base)) return false;
    /* With something in flight, the epoch was checked when the last answer came. */
    if (session->base.in_flight.fifo.count == 0 || session->epoch->longest == 0) plan_epoch_check(session->epoch, request->base.pinned ? clock_now() : clock_latest());
    submit_discard_sequences(session, output);
    if (request->kind != REQUEST_BATCH) {
        submit_unit(session, output, request);
    } else if (request->atomic) {
        submit_atomic(session, output, request);
    } else {
        submit_members(session, output, request);
    }
    return true;
}

void submit_terminate(session_state_t *session) {
    if (!session->base.closed) frontend_terminate(bytes_buffer(session->base.output));
    session->base.closed = true;
}
