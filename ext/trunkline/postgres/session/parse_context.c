#include "parse_context.h"

#include <string.h>
#include "../messages/bind.h"
#include "postgres_request.h"
#include "../statements/prepared.h"
#include "../../common/classes.h"

/* The last number; one process has one interpreter lock. */
static uint64_t last;

uint64_t parse_context_next(void) { return ++last; }

void parse_context_change(session_state_t *session, bool plans) {
    session->parse_context = parse_context_next();
    if (plans) session->own_plans = session->parse_context;
}

/* Reported settings that parse analysis reads, that depend on the role, or that determine how values are written. search_path is reported from
 * PostgreSQL 18 on. */
static const char *const reported[] = {
    "DateStyle", "IntervalStyle", "TimeZone", "client_encoding", "is_superuser", "search_path", "session_authorization",
    "standard_conforming_strings",
};

void parse_context_watch_setting(session_state_t *session, const char *name) {
    if (!session->exclusive || session->context_announced) return;
    for (size_t at = 0; at < sizeof reported / sizeof *reported; at++) {
        if (strcmp(reported[at], name) == 0) parse_context_change(session, true);
    }
}

/* call-seq: Postgres.next_parse_context -> Integer */
static VALUE next_parse_context(VALUE module) { return ULL2NUM(parse_context_next()); }

/* call-seq: changes_parse_context!(plans) -> request
 *
 * Statements behind it in its session may be parsed differently; plans: and the plans that functions keep are outdated. */
static VALUE request_changes_parse_context(VALUE self, VALUE plans) {
    postgres_request_of(self)->outcome.changes_parse_context = true;
    postgres_request_of(self)->outcome.changes_plans |= RTEST(plans);
    return self;
}

/* call-seq: calls_nothing! -> request
 *
 * Its statement calls no function: the server need not discard the plans that functions keep before it. */
static VALUE request_set_calls_nothing(VALUE self) {
    postgres_request_of(self)->calls_nothing = true;
    return self;
}

/* call-seq: parameter_types -> Array of Integer, or nil
 *
 * The OIDs of the statement's parameters, in the session that it was sent to. */
static VALUE request_parameter_types(VALUE self) {
    VALUE object = postgres_request_of(self)->sent.prepared;
    if (NIL_P(object) || !prepared_of(object)->known) return Qnil;
    const prepared_t *prepared = prepared_of(object);
    VALUE types = rb_ary_new_capa(prepared->type_count);
    for (uint16_t at = 0; at < prepared->type_count; at++) rb_ary_push(types, UINT2NUM(prepared->types[at]));
    RB_GC_GUARD(object);
    return types;
}

/* call-seq: convert_to(types, parameters) -> request
 *
 * Before it is sent: sets its parameters, which were converted for these types. */
static VALUE request_convert_to(VALUE self, VALUE types, VALUE parameters) {
    Check_Type(types, T_ARRAY);
    Check_Type(parameters, T_ARRAY);
    postgres_request_t *request = postgres_request_of(self);
    request->types = bind_types(types);
    request->parameters = bind_checked(parameters);
    return self;
}

void Init_trunkline_parse_context(void) {
    VALUE request = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_module_function(mTrunklinePostgres, "next_parse_context", next_parse_context, 0);
    rb_define_method(request, "changes_parse_context!", request_changes_parse_context, 1);
    rb_define_method(request, "calls_nothing!", request_set_calls_nothing, 0);
    rb_define_method(request, "parameter_types", request_parameter_types, 0);
    rb_define_method(request, "convert_to", request_convert_to, 2);
}
