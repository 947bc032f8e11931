#include "answer_end.h"

/* How an answer has ended, and what is remembered of it: methods of Request. */
#include "postgres_request.h"
#include "prepared.h"
#include "../../common/classes.h"

/* call-seq: rolled_back? -> true or false
 *
 * Did the command end with ROLLBACK? That is how COMMIT of a failed transaction ends. */
static VALUE request_is_rolled_back(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.rolled_back); }

/* call-seq: redescribe(description) -> request
 *
 * Requests that are sent from now on decode so what the same statement returns, if it is described as it was for this one. */
static VALUE request_redescribe(VALUE self, VALUE description) {
    VALUE prepared = postgres_request_of(self)->sent.prepared;
    if (!NIL_P(prepared) && prepared_of(prepared)->description == postgres_request_of(self)->answer.description) {
        prepared_of(prepared)->description = description;
    }
    return self;
}

/* call-seq: status -> "I", "T", "E", or nil before ReadyForQuery has come */
static VALUE request_status(VALUE self) {
    char status = postgres_request_of(self)->answer.status;
    return status ? rb_interned_str(&status, 1) : Qnil;
}

/* call-seq: keep_tag -> request
 *
 * Before it is sent: the tag of its command is kept, of a script's commands with the results of each. */
static VALUE request_keep_tag(VALUE self) {
    postgres_request_of(self)->answer.tag = Qtrue;
    return self;
}

/* call-seq: tag -> String or nil
 *
 * "INSERT 0 1", as the server calls what it has done; nil: it was not kept, or none has come. */
static VALUE request_tag(VALUE self) {
    VALUE tag = postgres_request_of(self)->answer.tag;
    return RB_TYPE_P(tag, T_STRING) ? tag : Qnil;
}

void Init_trunkline_answer_end(void) {
    VALUE request = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_method(request, "rolled_back?", request_is_rolled_back, 0);
    rb_define_method(request, "redescribe", request_redescribe, 1);
    rb_define_method(request, "status", request_status, 0);
    rb_define_method(request, "keep_tag", request_keep_tag, 0);
    rb_define_method(request, "tag", request_tag, 0);
}
