#include "postgres_request.h"

#include <math.h>
#include "../messages/bind.h"
#include "../rows/description.h"
#include "flow.h"
#include "../statements/prepared.h"
#include "../statements/statement.h"
#include "../messages/error_fields.h"
#include "../../common/classes.h"
#include "../../common/plain_object.h"

static VALUE cRequest;
static plain_layout_t result_layout; /* of Result, which is loaded later */

static void postgres_request_mark(void *data) {
    postgres_request_t *request = data;
    request_mark(request);
    rb_gc_mark(request->statement);
    rb_gc_mark(request->parameters);
    rb_gc_mark(request->given);
    rb_gc_mark(request->types);
    rb_gc_mark(request->script);
    rb_gc_mark(request->decoding);
    rb_gc_mark(request->portal);
    rb_gc_mark(request->members);
    rb_gc_mark(request->preamble);
    rb_gc_mark(request->guard);
    rb_gc_mark(request->route);
    rb_gc_mark(request->sent.prepared);
    rb_gc_mark(request->answer.description);
    rb_gc_mark(request->answer.row);
    rb_gc_mark(request->answer.rows);
    rb_gc_mark(request->answer.results);
    rb_gc_mark(request->answer.notices);
    rb_gc_mark(request->answer.tag);
    rb_gc_mark(request->answer.error);
    rb_gc_mark(request->outcome.altered);
    rb_gc_mark(request->answer.unreadable);
}

static void postgres_request_free(void *data) {
    request_unlink(data);
    unclaimed_end(&((postgres_request_t *)data)->unclaimed);
    ruby_xfree(((postgres_request_t *)data)->flow);
    ruby_xfree(data);
}

static size_t postgres_request_memsize(const void *data) { return sizeof(postgres_request_t); }

static const rb_data_type_t postgres_request_type = {
    .wrap_struct_name = "Trunkline::Postgres::Request",
    .function = {.dmark = postgres_request_mark, .dfree = postgres_request_free, .dsize = postgres_request_memsize},
    .parent = &request_type,
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

postgres_request_t *postgres_request_checked(VALUE object) { return rb_check_typeddata(object, &postgres_request_type); }

static VALUE create(request_kind_t kind, VALUE statement, VALUE parameters, VALUE script) {
    postgres_request_t *request;
    VALUE self = TypedData_Make_Struct(cRequest, postgres_request_t, &postgres_request_type, request);
    request_initialize(&request->base, self);
    request->kind = kind;
    request->statement = statement;
    if (kind == REQUEST_QUERY) request_set_service(&request->base, service_time_of(statement_of(statement)->service));
    request->parameters = parameters;
    request->given = request->types = request->members = request->preamble = request->guard = request->portal = request->route = Qnil;
    request->script = script;
    request->decoding = Qnil;
    request->sent.prepared = request->answer.description = request->answer.row = request->answer.rows = request->answer.results = Qnil;
    request->answer.notices = request->answer.error = request->outcome.altered = request->answer.unreadable = request->answer.tag = Qnil;
    request->answer.affected = -1;
    return self;
}

/* call-seq: Request.query(statement, parameters) -> Request or nil
 *
 * Nil: the parameters need Ruby's conversion first, or are not as many as the statement has. Otherwise the Array is frozen: no other object may use
 * it. */
static VALUE request_query(VALUE class, VALUE statement, VALUE parameters) {
    statement_t *known = statement_checked(statement);
    Check_Type(parameters, T_ARRAY);
    known->used = true;
    if (statement_known(known) && RARRAY_LEN(parameters) != known->type_count) return Qnil;
    if (OBJ_FROZEN(parameters) && RARRAY_LEN(parameters) > 0) parameters = rb_ary_dup(parameters); /* its mutable Strings are replaced */
    return bind_ready(parameters) ? create(REQUEST_QUERY, statement, parameters, Qnil) : Qnil;
}

/* call-seq: Request.converted(statement, parameters) -> Request
 *
 * The parameters were converted by Parameters.convert, independently of the server's types. */
static VALUE request_converted(VALUE class, VALUE statement, VALUE parameters) {
    statement_checked(statement);
    Check_Type(parameters, T_ARRAY);
    return create(REQUEST_QUERY, statement, bind_checked(parameters), Qnil);
}

/* call-seq: Request.dependent(statement, parameters, given, types) -> Request
 *
 * The parameters were converted from `given` for parameters of these types, and fit no others. */
static VALUE request_dependent(VALUE class, VALUE statement, VALUE parameters, VALUE given, VALUE types) {
    Check_Type(types, T_ARRAY);
    VALUE request = request_converted(class, statement, parameters);
    postgres_request_of(request)->given = given;
    postgres_request_of(request)->types = bind_types(types);
    return request;
}

/* call-seq: Request.describe(statement) -> Request */
static VALUE request_describe(VALUE class, VALUE statement) {
    return statement_checked(statement), create(REQUEST_DESCRIBE, statement, rb_ary_new(), Qnil);
}

/* call-seq: Request.script(sql) -> Request */
static VALUE request_script(VALUE class, VALUE sql) { return create(REQUEST_SCRIPT, Qnil, Qnil, rb_str_new_frozen(StringValue(sql))); }

/* call-seq: Request.batch(members, atomic) -> Request
 *
 * Queries that are sent in one flight, and not by themselves; atomic: in one unit, so that all of them have an effect or none. It is done when the
 * last one is. */
static VALUE request_batch(VALUE class, VALUE members, VALUE atomic) {
    Check_Type(members, T_ARRAY);
    if (RARRAY_LEN(members) == 0) rb_raise(rb_eArgError, "a batch has queries");
    for (long at = 0; at < RARRAY_LEN(members); at++) {
        if (postgres_request_checked(RARRAY_AREF(members, at))->kind != REQUEST_QUERY) rb_raise(rb_eArgError, "only queries go in a batch");
    }
    VALUE batch = create(REQUEST_BATCH, Qnil, Qnil, Qnil);
    postgres_request_of(batch)->members = rb_ary_freeze(rb_ary_dup(members));
    postgres_request_of(batch)->atomic = RTEST(atomic);
    return batch;
}

VALUE postgres_request_fetch(VALUE self) {
    const postgres_request_t *before = postgres_request_of(self);
    if (NIL_P(before->portal)) rb_raise(rb_eArgError, "the request has left no portal open");
    VALUE sql = NIL_P(before->statement) ? before->script : statement_of(before->statement)->sql;
    VALUE next = create(REQUEST_FETCH, Qnil, Qnil, sql);
    postgres_request_t *fetch = postgres_request_of(next);
    fetch->portal = before->portal;
    fetch->fetches = before->fetches;
    fetch->answer.description = before->answer.description;
    fetch->answer.binary = before->answer.binary;
    fetch->answer.count = row_count_continued(&before->answer.count);
    return next;
}

/* call-seq: Request.copy(sql, rows) -> Request
 *
 * A COPY; what the server sends is taken in portions of so many rows. */
static VALUE request_copy(VALUE class, VALUE sql, VALUE rows) {
    VALUE request = create(REQUEST_COPY, Qnil, Qnil, rb_str_new_frozen(StringValue(sql)));
    flow_begin(postgres_request_of(request), NUM2SIZET(rows));
    return request;
}

/* call-seq: Request.companion -> Request
 *
 * A request that is never sent: with it a caller waits for another caller's request, or for a connection. */
static VALUE request_companion(VALUE class) { return create(REQUEST_SCRIPT, Qnil, Qnil, Qnil); }

/* call-seq: fence -> Request
 *
 * A request with which the calling fiber or thread waits until everything before it, this request too, is answered; without a deadline. */
static VALUE request_fence(VALUE self) {
    VALUE fence = create(REQUEST_FENCE, Qnil, Qnil, Qnil);
    request_t *base = request_of(fence);
    base->pinned = request_of(self)->pinned;
    base->deadline = base->wait_until = INFINITY;
    return fence;
}

/* call-seq: again -> Request
 *
 * A new request for the same. */
static VALUE request_again(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    VALUE again = create(request->kind, request->statement, request->parameters, request->script);
    postgres_request_of(again)->given = request->given;
    postgres_request_of(again)->types = request->types;
    postgres_request_of(again)->decoding = request->decoding;
    postgres_request_of(again)->anew = request->anew;
    postgres_request_of(again)->unnamed = request->unnamed;
    postgres_request_of(again)->portal = request->portal;
    postgres_request_of(again)->route = request->route;
    postgres_request_of(again)->answer.keeps_tag = request->answer.keeps_tag;
    postgres_request_of(again)->fetches = request->fetches;
    if (request->flow) flow_begin(postgres_request_of(again), request->flow->most_rows);
    postgres_request_of(again)->base.deadline = postgres_request_of(again)->base.wait_until = request->base.deadline;
    postgres_request_of(again)->base.idempotent = request->base.idempotent;
    return again;
}

/* call-seq: anew -> Request
 *
 * A new request for the same, which relies on nothing that the client remembers of its statement. */
static VALUE request_anew(VALUE self) {
    VALUE anew = request_again(self);
    postgres_request_of(anew)->unnamed |= postgres_request_of(self)->anew; /* a pooler keeps named statements only */
    postgres_request_of(anew)->anew = true;
    return anew;
}

/* call-seq: preamble = Array of String
 *
 * SQL that runs before the statement in the same unit: if one of these fails, the statement does not run. */
static VALUE request_set_preamble(VALUE self, VALUE preamble) {
    Check_Type(preamble, T_ARRAY);
    VALUE own = rb_ary_dup(preamble);
    for (long at = 0; at < RARRAY_LEN(own); at++) {
        Check_Type(RARRAY_AREF(own, at), T_STRING);
        RARRAY_ASET(own, at, rb_str_new_frozen(RARRAY_AREF(own, at)));
    }
    return postgres_request_of(self)->preamble = rb_ary_freeze(own);
}

static bool is_answered(const postgres_request_t *request) {
    if (!request->base.done || !NIL_P(request->answer.error) || !NIL_P(request->base.failure) || !NIL_P(request->answer.unreadable) || request->outcome.undone) return false;
    return (request->answer.status == 'I' && request->outcome.leak == LEAK_NONE) || request->base.pinned;
}

static bool is_plain(const postgres_request_t *request) {
    if (!is_answered(request) || NIL_P(request->answer.description) || !NIL_P(request->answer.notices)) return false;
    return description_of(request->answer.description)->plain;
}

/* call-seq: answered? -> true or false
 *
 * Whether the server has executed it, and it has left nothing behind that a shared session must not have. Otherwise see error, failure and status. */
static VALUE request_is_answered(VALUE self) { return RBOOL(is_answered(postgres_request_of(self))); }

/* call-seq: plain? -> true or false
 *
 * Whether it was answered without notices, and with values that are final as C has decoded them. */
static VALUE request_is_plain(VALUE self) { return RBOOL(is_plain(postgres_request_of(self))); }

VALUE postgres_request_rows(postgres_request_t *request) {
    if (NIL_P(request->answer.rows)) {
        request->answer.rows = NIL_P(request->answer.row) ? rb_ary_new() : rb_ary_new_from_values(1, &request->answer.row);
    }
    return request->answer.rows;
}

/* call-seq: rows -> Array of Arrays */
static VALUE request_rows(VALUE self) { return postgres_request_rows(postgres_request_of(self)); }

/* call-seq: value -> Object
 *
 * The first column of the first row; nil without one. */
static VALUE request_value(VALUE self) {
    VALUE row = postgres_request_of(self)->answer.row;
    return NIL_P(row) ? Qnil : rb_ary_entry(row, 0);
}

static VALUE affected_rows(const postgres_request_t *request) { return request->answer.affected < 0 ? Qnil : LL2NUM(request->answer.affected); }

/* call-seq: affected_rows -> Integer, or nil where the command counts none */
static VALUE request_affected_rows(VALUE self) { return affected_rows(postgres_request_of(self)); }

/* call-seq: result(class) -> Result or nil
 *
 * The answer as a new Result, or a subclass of it. Nil: it was not answered, or Ruby has to finish its values. */
static VALUE request_result(VALUE self, VALUE class) {
    postgres_request_t *request = postgres_request_of(self);
    if (!is_plain(request)) return Qnil;
    if (result_layout.count == 0) result_layout = plain_layout(class, 3);
    VALUE values[] = {postgres_request_rows(request), request->answer.description, affected_rows(request)};
    return plain_object(class, &result_layout, values);
}

static VALUE request_statement(VALUE self) { return postgres_request_of(self)->statement; }
static VALUE request_parameters(VALUE self) { return postgres_request_of(self)->parameters; }
static VALUE request_given(VALUE self) { return postgres_request_of(self)->given; }
static VALUE request_get_preamble(VALUE self) { return postgres_request_of(self)->preamble; }
static VALUE request_get_members(VALUE self) { return postgres_request_of(self)->members; }
static VALUE request_is_atomic(VALUE self) { return RBOOL(postgres_request_of(self)->atomic); }
static VALUE request_get_script(VALUE self) { return postgres_request_of(self)->script; }
static VALUE request_description(VALUE self) { return postgres_request_of(self)->answer.description; }
static VALUE request_results(VALUE self) { return postgres_request_of(self)->answer.results; }
static VALUE request_notices(VALUE self) { return postgres_request_of(self)->answer.notices; }

/* call-seq: yield_notices { |fields| ... } -> nil
 *
 * Yields the notices that were not yielded before. If the block raises or throws, the notice that it was called with counts as yielded, and later
 * ones do not. */
static VALUE request_yield_notices(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    if (!NIL_P(request->answer.notices)) notices_each(request->answer.notices, &request->answer.notices_yielded);
    RB_GC_GUARD(self);
    return Qnil;
}

/* call-seq: notices_to_yield? -> true or false
 *
 * Whether there are notices that yield_notices has not yielded. */
static VALUE request_has_notices_to_yield(VALUE self) {
    const postgres_request_t *request = postgres_request_of(self);
    return RBOOL(!NIL_P(request->answer.notices) && request->answer.notices_yielded < RSTRING_LEN(request->answer.notices));
}

static VALUE request_error(VALUE self) { return postgres_request_of(self)->answer.error; }
static VALUE request_prepared(VALUE self) { return postgres_request_of(self)->sent.prepared; }
static VALUE request_parses(VALUE self) { return RBOOL(postgres_request_of(self)->sent.parses); }

/* call-seq: outdated? -> true or false
 *
 * Whether it failed without effect, perhaps only because the client's memory of its statement is outdated. */
static VALUE request_is_outdated(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.outdated); }

/* call-seq: forgotten? -> true or false
 *
 * Whether it failed without effect, because the server has lost the statement, or its result would have other columns than when it was prepared. */
static VALUE request_is_forgotten(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.forgotten); }

/* call-seq: unnamed! -> request
 *
 * Its statement is prepared for it alone, in the same flight, and the session does not keep it. */
static VALUE request_set_unnamed(VALUE self) {
    postgres_request_of(self)->unnamed = true;
    return self;
}

/* call-seq: cancelled? -> true or false
 *
 * Whether a cancel request was sent for it, or is about to be. */
static VALUE request_is_cancelled(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.cancelled); }

/* call-seq: cancelled! -> true or false
 *
 * Its caller has abandoned it: if a cancel that was aimed at another request hits it, no harm is done. False: it is done. */
static VALUE request_set_cancelled(VALUE self) {
    postgres_request_t *request = postgres_request_of(self);
    if (request->base.done) return Qfalse;
    request->outcome.cancelled = true;
    request->outcome.bystander = false;
    return Qtrue;
}

/* call-seq: bystander? -> true or false
 *
 * Whether a cancel that was aimed at another request has hit it; it has had no effect. */
static VALUE request_is_bystander(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.bystander); }

bool postgres_request_is_repeatable(VALUE self) {
    VALUE statement = postgres_request_of(self)->statement;
    return !NIL_P(statement) && statement_of(statement)->classification.class == CLASS_SHAREABLE;
}

/* call-seq: repeatable? -> true or false
 *
 * Whether the statement has had no effect when the server says that it has cancelled it. A procedure may commit in between, and so do commands that
 * refuse to run within a transaction. */
static VALUE request_is_repeatable(VALUE self) { return RBOOL(postgres_request_is_repeatable(self)); }
static VALUE request_is_anew(VALUE self) { return RBOOL(postgres_request_of(self)->anew); }
void Init_trunkline_postgres_request(void) {
    cRequest = rb_define_class_under(mTrunklinePostgres, "Request", cTrunklineRequest);
    rb_undef_alloc_func(cRequest);
    rb_define_singleton_method(cRequest, "query", request_query, 2);
    rb_define_singleton_method(cRequest, "converted", request_converted, 2);
    rb_define_singleton_method(cRequest, "dependent", request_dependent, 4);
    rb_define_singleton_method(cRequest, "describe", request_describe, 1);
    rb_define_singleton_method(cRequest, "script", request_script, 1);
    rb_define_singleton_method(cRequest, "batch", request_batch, 2);
    rb_define_singleton_method(cRequest, "copy", request_copy, 2);
    rb_define_singleton_method(cRequest, "companion", request_companion, 0);
    rb_define_method(cRequest, "again", request_again, 0);
    rb_define_method(cRequest, "anew", request_anew, 0);
    rb_define_method(cRequest, "preamble=", request_set_preamble, 1);
    rb_define_method(cRequest, "answered?", request_is_answered, 0);
    rb_define_method(cRequest, "plain?", request_is_plain, 0);
    rb_define_method(cRequest, "value", request_value, 0);
    rb_define_method(cRequest, "result", request_result, 1);
    rb_define_method(cRequest, "statement", request_statement, 0);
    rb_define_method(cRequest, "parameters", request_parameters, 0);
    rb_define_method(cRequest, "given", request_given, 0);
    rb_define_method(cRequest, "preamble", request_get_preamble, 0);
    rb_define_method(cRequest, "members", request_get_members, 0);
    rb_define_method(cRequest, "atomic?", request_is_atomic, 0);
    rb_define_method(cRequest, "script", request_get_script, 0);
    rb_define_method(cRequest, "description", request_description, 0);
    rb_define_method(cRequest, "rows", request_rows, 0);
    rb_define_method(cRequest, "results", request_results, 0);
    rb_define_method(cRequest, "notices", request_notices, 0);
    rb_define_method(cRequest, "yield_notices", request_yield_notices, 0);
    rb_define_method(cRequest, "notices_to_yield?", request_has_notices_to_yield, 0);
    rb_define_method(cRequest, "error", request_error, 0);
    rb_define_method(cRequest, "prepared", request_prepared, 0);
    rb_define_method(cRequest, "parses?", request_parses, 0);
    rb_define_method(cRequest, "anew?", request_is_anew, 0);
    rb_define_method(cRequest, "forgotten?", request_is_forgotten, 0);
    rb_define_method(cRequest, "unnamed!", request_set_unnamed, 0);
    rb_define_method(cRequest, "fence", request_fence, 0);
    rb_define_method(cRequest, "cancelled?", request_is_cancelled, 0);
    rb_define_method(cRequest, "cancelled!", request_set_cancelled, 0);
    rb_define_method(cRequest, "bystander?", request_is_bystander, 0);
    rb_define_method(cRequest, "repeatable?", request_is_repeatable, 0);
    rb_define_method(cRequest, "outdated?", request_is_outdated, 0);
    rb_define_method(cRequest, "affected_rows", request_affected_rows, 0);
}
