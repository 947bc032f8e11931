#include "postgres_codec.h"

/* Trunkline::Postgres::Codec: the protocol of one server session. It takes requests and bytes, and gives bytes and answers; it uses no sockets and
 * never waits. */
#include <string.h>
#include "../answers/asynchronous.h"
#include "../answers/leak.h"
#include "../session/parse_context.h"
#include "../statements/plan_epoch.h"
#include "receive.h"
#include "submit.h"
#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

static void codec_mark(void *data) {
    session_state_t *session = data;
    codec_base_mark(&session->base);
    rb_gc_mark(session->closing);
    rb_gc_mark(session->own_units);
    rb_gc_mark(session->epochs);
    rb_gc_mark(session->parameters);
    rb_gc_mark(session->initial_parameters);
    rb_gc_mark(session->notifications);
    for (uint32_t at = 0; at < session->slot_count; at++) rb_gc_mark(session->slots[at]);
}

static void codec_free(void *data) {
    session_state_t *session = data;
    codec_base_release(&session->base);
    ruby_xfree(session->slots);
    ruby_xfree(session);
}

static size_t codec_memsize(const void *data) {
    const session_state_t *session = data;
    return sizeof *session + codec_base_memsize(&session->base) + session->slot_count * sizeof(VALUE);
}

static const rb_data_type_t codec_type = {
    .wrap_struct_name = "Trunkline::Postgres::Codec",
    .function = {.dmark = codec_mark, .dfree = codec_free, .dsize = codec_memsize},
    .parent = &codec_base_type,
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE codec_submit(VALUE self, VALUE request);
static VALUE codec_receive(VALUE self, VALUE woken);
static VALUE codec_aim(VALUE self, VALUE request);
static const codec_protocol_t protocol = {codec_submit, codec_receive, codec_aim, postgres_request_is_repeatable};

static VALUE codec_allocate(VALUE class) {
    session_state_t *session;
    VALUE self = TypedData_Make_Struct(class, session_state_t, &codec_type, session);
    codec_base_clear(&session->base, &protocol);
    session->closing = session->own_units = session->parameters = session->epochs = session->initial_parameters = session->notifications = Qnil;
    return self;
}

static VALUE codec_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(codec_allocate(class), argc, argv); }

static session_state_t *session_of(VALUE self) { return RTYPEDDATA_DATA(self); }

static void set_prefix(session_state_t *session, VALUE prefix) {
    StringValueCStr(prefix);
    if (RSTRING_LEN(prefix) >= STATEMENT_PREFIX_SIZE) rb_raise(rb_eArgError, "the prefix is too long");
    memcpy(session->prefix, RSTRING_PTR(prefix), RSTRING_LEN(prefix) + 1);
}

/* call-seq: Codec.new(parameters, message_limit, epochs = PlanEpoch.new, prefix = "t", unrequested_limit = message_limit)
 *
 * parameters: Hash of what the server has reported so far. message_limit: bytes of the longest message to accept. epochs: the client's PlanEpoch.
 * prefix: the beginning of statements' names, as others may have used the server session, or will; empty: statements have no names, and each is
 * prepared for one execution. unrequested_limit: bytes to keep of the notices of one answer, of notifications, and of reported settings. */
static VALUE codec_initialize(int argc, VALUE *argv, VALUE self) {
    session_state_t *session = session_of(self);
    VALUE parameters, message_limit, epochs, prefix, unrequested_limit;
    rb_scan_args(argc, argv, "23", &parameters, &message_limit, &epochs, &prefix, &unrequested_limit);
    Check_Type(parameters, T_HASH);
    session->epochs = NIL_P(epochs) ? plan_epoch_create() : epochs;
    session->epoch = plan_epoch_checked(session->epochs);
    set_prefix(session, NIL_P(prefix) ? rb_str_new_cstr("t") : prefix);
    codec_base_open(&session->base);
    session->closing = rb_ary_new();
    session->own_units = rb_ary_new();
    session->notifications = rb_ary_new();
    session->parameters = parameters;
    session->initial_parameters = rb_hash_dup(parameters);
    session->message_limit = NUM2SIZET(message_limit);
    session->unrequested_limit = NIL_P(unrequested_limit) ? session->message_limit : NUM2SIZET(unrequested_limit);
    return self;
}

/* call-seq: submit(request) -> Integer or nil
 *
 * Returns the bytes of output that are not sent. Nil: the session is closed or the request's deadline has passed; the request is unchanged. */
static VALUE codec_submit(VALUE self, VALUE request) {
    session_state_t *session = session_of(self);
    return submit(session, request) ? SIZET2NUM(codec_base_unsent(&session->base)) : Qnil;
}

/* call-seq: withdraw(request, failure) -> true or false
 *
 * Takes back Bind and Execute of a request, which then has no effect and this failure. False: they may have been sent, or cannot be left out. */
static VALUE codec_withdraw(VALUE self, VALUE request, VALUE failure) { return RBOOL(withdraw(session_of(self), request, failure)); }

/* The caller is about to send a cancel request for this request, which may hit one behind it instead. Nil: none can be hit any more. */
static VALUE codec_aim(VALUE self, VALUE request) {
    session_of(self)->cancelling = !NIL_P(request);
    if (!NIL_P(request)) postgres_request_checked(request)->outcome.cancelled = true;
    return self;
}

/* call-seq: close -> codec
 *
 * Appends Terminate, and takes no more requests. */
static VALUE codec_close(VALUE self) {
    submit_terminate(session_of(self));
    return self;
}

/* call-seq: receive(woken) -> true or false
 *
 * Decodes the input; pushes requests whose waiters are owed a wake-up to the Array `woken`. False: a statement has left something behind on a shared
 * session, which must not be used any more; what comes behind the end of its answer is not decoded. */
static VALUE codec_receive(VALUE self, VALUE woken) {
    session_state_t *session = session_of(self);
    Check_Type(woken, T_ARRAY);
    size_t received = buffer_size(bytes_buffer(session->base.input));
    receive(session, woken);
    session->base.floods = asynchronous_floods(session);
    session->base.trickles = asynchronous_trickles(session, received);
    bytes_settle(session->base.input);
    return RBOOL(!session->leaked);
}

static VALUE codec_parameters(VALUE self) { return session_of(self)->parameters; }

/* call-seq: given_parameters -> Hash
 *
 * The reported settings that the session was opened with, or that have changed without a request. */
static VALUE codec_given_parameters(VALUE self) { return session_of(self)->initial_parameters; }

/* call-seq: exclusive = true or false
 *
 * Whether the session is reserved for one caller, which may open transactions. Discards earlier notifications. */
static VALUE codec_set_exclusive(VALUE self, VALUE exclusive) {
    session_of(self)->exclusive = RTEST(exclusive);
    session_of(self)->reported = false;
    session_of(self)->parse_context = session_of(self)->own_plans = 0;
    rb_ary_clear(session_of(self)->notifications);
    return exclusive;
}

/* call-seq: altered? -> true or false
 *
 * Whether a setting differs from its first value, as the caller that the session was reserved for has changed it. */
static VALUE codec_is_altered(VALUE self) { return RBOOL(leak_settings_altered(session_of(self))); }

/* call-seq: discard_sequences -> codec
 *
 * Has the next unit discard what sequences remember in the session (DISCARD SEQUENCES), as others have drawn from them. */
static VALUE codec_discard_sequences(VALUE self) {
    session_of(self)->discards_sequences = true;
    return self;
}

/* call-seq: enter_parse_context(parse_context, plans) -> codec
 *
 * The next unit of the session, which is reserved for one caller, sets the settings that these numbers stand for before anything else. */
static VALUE codec_enter_parse_context(VALUE self, VALUE parse_context, VALUE plans) {
    session_state_t *session = session_of(self);
    session->parse_context = NUM2ULL(parse_context);
    session->own_plans = NUM2ULL(plans);
    session->context_announced = true;
    return self;
}

/* call-seq: changed_parse_context? -> true or false
 *
 * Whether the caller that the session is reserved for has changed the parse context. */
static VALUE codec_has_changed_parse_context(VALUE self) { return RBOOL(session_of(self)->parse_context != 0); }

/* call-seq: remembers?(statement) -> true or false
 *
 * Whether what the client remembers of the statement is valid in this session. */
static VALUE codec_remembers(VALUE self, VALUE statement) { return RBOOL(parse_context_is_statements(session_of(self), statement_checked(statement))); }

/* call-seq: refused_write? -> bool
 *
 * Whether the server has refused a statement because its transaction, or the server itself, is read-only. */
static VALUE codec_has_refused_write(VALUE self) { return RBOOL(session_of(self)->refused_write); }

/* call-seq: behind_pooler! -> codec
 *
 * Statements that are prepared here may be executed by another server process, which has prepared them again: so each execution describes its result. */
static VALUE codec_set_pooled(VALUE self) {
    session_of(self)->pooled = true;
    return self;
}

/* call-seq: forget_statements -> codec
 *
 * The server session has lost its prepared statements. */
static VALUE codec_forget_statements(VALUE self) {
    slots_forget(session_of(self));
    return self;
}

void Init_trunkline_postgres_codec(void) {
    VALUE class = rb_define_class_under(mTrunklinePostgres, "Codec", cTrunklineCodec);
    trunkline_define_new(class, codec_new);
    rb_define_method(class, "initialize", codec_initialize, -1);
    rb_define_method(class, "submit", codec_submit, 1);
    rb_define_method(class, "withdraw", codec_withdraw, 2);
    rb_define_method(class, "close", codec_close, 0);
    rb_define_method(class, "receive", codec_receive, 1);
    rb_define_method(class, "parameters", codec_parameters, 0);
    rb_define_method(class, "given_parameters", codec_given_parameters, 0);
    rb_define_method(class, "exclusive=", codec_set_exclusive, 1);
    rb_define_method(class, "altered?", codec_is_altered, 0);
    rb_define_method(class, "discard_sequences", codec_discard_sequences, 0);
    rb_define_method(class, "enter_parse_context", codec_enter_parse_context, 2);
    rb_define_method(class, "changed_parse_context?", codec_has_changed_parse_context, 0);
    rb_define_method(class, "remembers?", codec_remembers, 1);
    rb_define_method(class, "behind_pooler!", codec_set_pooled, 0);
    rb_define_method(class, "refused_write?", codec_has_refused_write, 0);
    rb_define_method(class, "forget_statements", codec_forget_statements, 0);
}
