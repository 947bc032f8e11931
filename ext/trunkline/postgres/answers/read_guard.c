#include "read_guard.h"

#include <stdio.h>
#include "../messages/error_code.h"
#include "../messages/frontend.h"
#include "outdated.h"
#include "own_unit.h"
#include "../../common/classes.h"

#define MOST_PARAMETERS 2 /* of a guard: a position and a lag */
#define KIND "guard"

enum { NUMBER, SQL, TYPES, TEXTS, PARTS };

static span_t text_of(VALUE string) { return (span_t){RSTRING_PTR(string), RSTRING_LEN(string)}; }

static unsigned number_of(VALUE guard) { return FIX2UINT(RARRAY_AREF(guard, NUMBER)); }

static bool append_parse(buffer_t *output, span_t name, VALUE guard) {
    VALUE oids = RARRAY_AREF(guard, TYPES);
    uint32_t types[MOST_PARAMETERS];
    for (long at = 0; at < RARRAY_LEN(oids); at++) types[at] = NUM2UINT(RARRAY_AREF(oids, at));
    return frontend_parse(output, name, text_of(RARRAY_AREF(guard, SQL)), types, (uint16_t)RARRAY_LEN(oids));
}

static bool append_execution(buffer_t *output, span_t name, VALUE guard) {
    VALUE texts = RARRAY_AREF(guard, TEXTS);
    span_t parameters[MOST_PARAMETERS];
    for (long at = 0; at < RARRAY_LEN(texts); at++) parameters[at] = text_of(RARRAY_AREF(texts, at));
    return frontend_bind_text(output, name, parameters, (uint16_t)RARRAY_LEN(texts)) && frontend_execute(output);
}

/* The guard's name begins with the session's prefix, as others may have used the server session; statements' names have digits behind it. */
static span_t name_of(const session_state_t *session, VALUE guard, char name[STATEMENT_NAME_SIZE]) {
    char prefix[STATEMENT_PREFIX_SIZE + sizeof KIND];
    int length = snprintf(prefix, sizeof prefix, "%s" KIND, session->prefix);
    return (span_t){name, frontend_statement_name((span_t){prefix, (size_t)length}, number_of(guard), name)};
}

void read_guard_prepare(session_state_t *session, buffer_t *output, const postgres_request_t *request) {
    if (NIL_P(request->guard) || !read_guard_is_kept(session)) return;
    uint8_t bit = (uint8_t)(1U << number_of(request->guard));
    if (session->guards & bit) return;
    char name[STATEMENT_NAME_SIZE];
    size_t before = buffer_size(output);
    if (!append_parse(output, name_of(session, request->guard, name), request->guard) || !frontend_sync(output)) {
        output->tail = output->head + before;
        rb_memerror();
    }
    session->base.in_flight.appended += buffer_size(output) - before;
    session->guards |= bit;
    own_unit_of_parse(session);
}

bool read_guard_append(const session_state_t *session, buffer_t *output, const postgres_request_t *request) {
    char name[STATEMENT_NAME_SIZE];
    if (read_guard_is_kept(session)) return append_execution(output, name_of(session, request->guard, name), request->guard);
    return append_parse(output, (span_t){"", 0}, request->guard) && append_execution(output, (span_t){"", 0}, request->guard);
}

bool read_guard_is_lost(const postgres_request_t *request, const frame_t *frame) {
    const answer_order_t *order = &request->answer.order;
    return order->guarded && order->preamble == 1 && order->stage == STAGE_PREAMBLE_BIND && error_code_begins(frame->body, frame->length, UNKNOWN_STATEMENT);
}

static void check_part(VALUE part, long at, int type) { Check_Type(rb_ary_entry(part, at), type); }

static void check(VALUE guard) {
    Check_Type(guard, T_ARRAY);
    if (!OBJ_FROZEN(guard) || RARRAY_LEN(guard) != PARTS) rb_raise(rb_eArgError, "a guard is a frozen Array of %d", PARTS);
    check_part(guard, NUMBER, T_FIXNUM);
    check_part(guard, SQL, T_STRING);
    check_part(guard, TYPES, T_ARRAY);
    check_part(guard, TEXTS, T_ARRAY);
    VALUE types = RARRAY_AREF(guard, TYPES), texts = RARRAY_AREF(guard, TEXTS);
    long count = RARRAY_LEN(types);
    if (FIX2LONG(RARRAY_AREF(guard, NUMBER)) < 0 || FIX2LONG(RARRAY_AREF(guard, NUMBER)) >= READ_GUARDS) rb_raise(rb_eArgError, "there are %d guards", READ_GUARDS);
    if (count > MOST_PARAMETERS || RARRAY_LEN(texts) != count || !OBJ_FROZEN(types) || !OBJ_FROZEN(texts)) rb_raise(rb_eArgError, "a guard has a text for each of %d parameters", MOST_PARAMETERS);
    for (long at = 0; at < count; at++) {
        NUM2UINT(RARRAY_AREF(types, at));
        check_part(texts, at, T_STRING);
    }
}

/* call-seq: guard = Array or nil
 *
 * The statement that the unit runs behind its preamble: if it fails, the request's own does not run. See read_guard.h. */
static VALUE request_set_guard(VALUE self, VALUE guard) {
    if (!NIL_P(guard)) check(guard);
    return postgres_request_of(self)->guard = guard;
}

void Init_trunkline_read_guard(void) {
    VALUE class = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_method(class, "guard=", request_set_guard, 1);
}
