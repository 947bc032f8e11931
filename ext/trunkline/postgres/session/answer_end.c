#include "answer_end.h"

/* Methods of Request for how its answer has ended. */
#include "postgres_request.h"
#include "../statements/prepared.h"
#include "../../common/classes.h"

static VALUE sym_state, sym_setting;
static VALUE idle, in_transaction; /* the Strings of two statuses */

static VALUE status_string(const char *status) {
    VALUE string = rb_interned_str(status, 1);
    rb_gc_register_mark_object(string);
    return string;
}

/* call-seq: rolled_back? -> true or false
 *
 * Whether the command's tag is ROLLBACK. COMMIT of a failed transaction ends so. */
static VALUE request_is_rolled_back(VALUE self) { return RBOOL(postgres_request_of(self)->outcome.rolled_back); }

/* call-seq: redescribe(description) -> request
 *
 * Makes later requests for the same statement decode by this description, if the statement is still described as it was for this request. */
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
    switch (status) {
        case 0: return Qnil;
        case 'I': return idle;
        case 'T': return in_transaction;
        default: return rb_interned_str(&status, 1);
    }
}

/* call-seq: keep_tag -> request
 *
 * Before it is sent: has the command tag kept; of a script with each command's result. */
static VALUE request_keep_tag(VALUE self) {
    postgres_request_of(self)->answer.keeps_tag = true;
    return self;
}

/* call-seq: tag -> String or nil
 *
 * The command tag, such as "INSERT 0 1"; nil: it was not kept, or has not come. */
static VALUE request_tag(VALUE self) { return postgres_request_of(self)->answer.tag; }

/* call-seq: leak -> :state, :setting or nil
 *
 * What its statement has left behind on a shared session: :state, a transaction or what its tag shows; or :setting. */
static VALUE request_leak(VALUE self) {
    leak_t leak = postgres_request_of(self)->outcome.leak;
    return leak == LEAK_STATE ? sym_state : leak == LEAK_SETTING ? sym_setting : Qnil;
}

/* call-seq: altered_setting -> [name, value] or nil
 *
 * The setting that it has left behind. */
static VALUE request_altered_setting(VALUE self) { return postgres_request_of(self)->outcome.altered; }

void Init_trunkline_answer_end(void) {
    sym_state = ID2SYM(rb_intern("state"));
    sym_setting = ID2SYM(rb_intern("setting"));
    idle = status_string("I");
    in_transaction = status_string("T");
    VALUE request = rb_const_get(mTrunklinePostgres, rb_intern("Request"));
    rb_define_method(request, "rolled_back?", request_is_rolled_back, 0);
    rb_define_method(request, "redescribe", request_redescribe, 1);
    rb_define_method(request, "leak", request_leak, 0);
    rb_define_method(request, "altered_setting", request_altered_setting, 0);
    rb_define_method(request, "status", request_status, 0);
    rb_define_method(request, "keep_tag", request_keep_tag, 0);
    rb_define_method(request, "tag", request_tag, 0);
}
