#include "types_check.h"

#include "../messages/error_code.h"
#include "../messages/parameter_text.h"
#include "own_unit.h"
#include "../statements/statement.h"

#define TEXT 25
#define OIDS 1028 /* oid[] */
#define SPAN(text) ((span_t){(text), sizeof(text) - 1})
#define NAME SPAN("ttypes")
#define DIFFER "22012" /* SQL divides by 0 then */
#define NOT_PERMITTED "42501"

/* A statement that the server knows by another name, as behind a pooler that was not detected, passes. */
#define SQL SPAN("SELECT 1 OPERATOR(pg_catalog./) (1 OPERATOR(pg_catalog.-) pg_catalog.count(*)::pg_catalog.int4) " \
                 "FROM pg_catalog.pg_prepared_statements " \
                 "WHERE name OPERATOR(pg_catalog.=) $1 AND parameter_types::pg_catalog.oid[] OPERATOR(pg_catalog.<>) $2")

bool types_check_possible(const session_state_t *session, const postgres_request_t *request) {
    if (request->kind != REQUEST_QUERY || NIL_P(request->types) || session->prefix[0] == 0 || session->pooled || session->untyped) return false;
    const statement_t *statement = statement_of(request->statement);
    return !statement->declared && statement->classification.class != CLASS_ALONE;
}

void types_check_prepare(session_state_t *session, buffer_t *output) {
    static const uint32_t types[] = {TEXT, OIDS};
    if (session->type_checks) return;
    size_t before = buffer_size(output);
    if (!frontend_parse(output, NAME, SQL, types, 2) || !frontend_sync(output)) {
        output->tail = output->head + before;
        rb_memerror();
    }
    session->base.in_flight.appended += buffer_size(output) - before;
    session->type_checks = true;
    own_unit_of_parse(session);
}

/* As an array literal: {25,1082}. */
static bool append_types(buffer_t *literal, VALUE types) {
    for (long at = 0; at < RARRAY_LEN(types); at++) {
        char digits[LONGEST_DECIMAL];
        size_t length = decimal_text((long)NUM2UINT(RARRAY_AREF(types, at)), digits);
        if (!buffer_append(literal, at == 0 ? "{" : ",", 1) || !buffer_append(literal, digits, length)) return false;
    }
    return buffer_append(literal, RARRAY_LEN(types) == 0 ? "{}" : "}", RARRAY_LEN(types) == 0 ? 2 : 1);
}

bool types_check_append(buffer_t *output, const postgres_request_t *request, span_t name) {
    buffer_t literal = {0};
    bool done = append_types(&literal, request->types);
    span_t parameters[] = {name, {buffer_bytes(&literal), buffer_size(&literal)}};
    done = done && frontend_bind_text(output, NAME, parameters, 2) && frontend_execute(output);
    buffer_release(&literal);
    return done;
}

bool types_check_failed(session_state_t *session, const postgres_request_t *request, const frame_t *frame) {
    uint8_t stage = request->answer.order.stage;
    if (stage != STAGE_TYPES_BIND && stage != STAGE_TYPES_ROWS) return false;
    if (error_code_begins(frame->body, frame->length, NOT_PERMITTED)) session->untyped = true;
    return error_code_begins(frame->body, frame->length, DIFFER);
}
