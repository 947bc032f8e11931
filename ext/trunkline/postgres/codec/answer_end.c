#include "answer_end.h"

/* How an answer has ended, and what is remembered of it: methods of Request. */
#include "postgres_request.h"
#include "prepared.h"
#include "../../common/classes.h"

static VALUE sym_state, sym_setting;

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
    postgres_request_of(self)->answer.keeps_tag = true;
    return self;
}

/* call-seq: tag -> String or nil
 *
 * "INSERT 0 1", as the server calls what it has done; nil: it was not kept, or none has come. */
static VALUE request_tag(VALUE self) { return postgres_request_of(self)->answer.tag; }

/* call-seq: leak -> :state, :setting or nil
 *
 * What its own statement has left behind on a session that others share: a transaction or what its tag tells; or a setting. */
static VALUE request_leak(VALUE self) {
    leak_t leak = postgres_request_of(self)->outcome.leak;
    return leak == LEAK_STATE ? sym_state : leak == LEAK_SETTING ? sym_setting : Qnil;
}

/* call-seq: altered_setting -> [name, value] or nil
 *
 * That setting. */
static VALUE request_altered_setting(VALUE self) { return postgres_request_of(self)->outcome.altered; }

void Init_trunkline_answer_end(void) {
    sym_state = ID2SYM(rb_intern("state"));
    sym_setting = ID2SYM(rb_intern("setting"));
    VALUE request = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_method(request, "rolled_back?", request_is_rolled_back, 0);
    rb_define_method(request, "redescribe", request_redescribe, 1);
    rb_define_method(request, "leak", request_leak, 0);
    rb_define_method(request, "altered_setting", request_altered_setting, 0);
    rb_define_method(request, "status", request_status, 0);
    rb_define_method(request, "keep_tag", request_keep_tag, 0);
    rb_define_method(request, "tag", request_tag, 0);
}
