#include "request_route.h"

#include "postgres_request.h"
#include "../statements/statement.h"
#include "../../common/classes.h"

/* call-seq: route = Object
 *
 * What a client with replicas stores about the hosts that it was sent to; a repeated request keeps it. */
static VALUE request_set_route(VALUE self, VALUE route) { return postgres_request_of(self)->route = route; }
static VALUE request_get_route(VALUE self) { return postgres_request_of(self)->route; }

/* call-seq: refused? -> true or false
 *
 * Whether what runs before its statement has failed, so that the statement has not run. */
static VALUE request_is_refused(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.refused); }

/* call-seq: serve(at) -> request
 *
 * Sets the host, by its index, whose service times it is estimated by and measured for; nil: the client has one host. */
static VALUE request_serve_at(VALUE self, VALUE at) {
    postgres_request_t *request = postgres_request_of(self);
    if (request->kind != REQUEST_QUERY) return self;
    const statement_t *statement = statement_of(request->statement);
    VALUE service = NIL_P(at) ? statement->service : rb_ary_entry(statement->host_services, NUM2LONG(at));
    if (NIL_P(service)) rb_raise(rb_eIndexError, "its statement has no service for that host");
    request_set_service(&request->base, service_time_of(service));
    return self;
}

/* call-seq: take_answer(other) -> request
 *
 * Takes over the answer of another request for the same, which is done. This one was not sent. */
static VALUE request_take_answer(VALUE self, VALUE object) {
    postgres_request_t *request = postgres_request_of(self);
    const postgres_request_t *other = postgres_request_checked(object);
    if (!other->base.done) rb_raise(rb_eArgError, "the other request is not done");
    request->sent = other->sent;
    request->answer = other->answer;
    request->outcome = other->outcome;
    request->base.work = other->base.work;
    request->base.failure = other->base.failure;
    request_finish(&request->base);
    return self;
}

void Init_trunkline_request_route(void) {
    VALUE class = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_method(class, "route=", request_set_route, 1);
    rb_define_method(class, "route", request_get_route, 0);
    rb_define_method(class, "refused?", request_is_refused, 0);
    rb_define_method(class, "take_answer", request_take_answer, 1);
    rb_define_method(class, "serve", request_serve_at, 1);
}
