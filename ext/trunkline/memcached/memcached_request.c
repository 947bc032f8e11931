#include "memcached_request.h"

#include "../trunk/runtime/clock.h"
#include "../common/classes.h"

static VALUE cRequest;

static void memcached_request_mark(void *data) {
    memcached_request_t *request = data;
    request_mark(request);
    rb_gc_mark(request->key);
    rb_gc_mark(request->value);
    rb_gc_mark(request->flags);
    rb_gc_mark(request->names);
    rb_gc_mark(request->answer);
    rb_gc_mark(request->coded);
    rb_gc_mark(request->versions);
    rb_gc_mark(request->error);
}

static void memcached_request_free(void *data) {
    request_unlink(data);
    ruby_xfree(data);
}

static size_t memcached_request_memsize(const void *data) { return sizeof(memcached_request_t); }

static const rb_data_type_t memcached_request_type = {
    .wrap_struct_name = "Trunkline::Memcached::Request",
    .function = {.dmark = memcached_request_mark, .dfree = memcached_request_free, .dsize = memcached_request_memsize},
    .parent = &request_type,
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

memcached_request_t *memcached_request_checked(VALUE object) { return rb_check_typeddata(object, &memcached_request_type); }

/* Seconds of service time that are expected. An operation of a single caller takes 22 us in all, with the round trip: bench/results/memcached.md. */
#define COST 0.00002

static VALUE create(memcached_kind_t kind, VALUE key, VALUE value, VALUE flags) {
    memcached_request_t *request;
    VALUE self = TypedData_Make_Struct(cRequest, memcached_request_t, &memcached_request_type, request);
    request_initialize(&request->base, self);
    request->base.work.cost = COST;
    request->kind = kind;
    request->key = key;
    request->value = value;
    request->flags = flags;
    request->names = request->answer = request->coded = request->versions = request->error = Qnil;
    return self;
}

#define SHORT_KEY (META_LONGEST_KEY / 4 * 3) /* bytes that fit as base64, too, so that their content need not be checked */

static bool fits(VALUE key) {
    if (!RB_TYPE_P(key, T_STRING) || RSTRING_LEN(key) == 0 || RSTRING_LEN(key) > META_LONGEST_KEY) return false;
    return RSTRING_LEN(key) <= SHORT_KEY || meta_key_size((meta_text_t){RSTRING_PTR(key), (size_t)RSTRING_LEN(key)}) <= META_LONGEST_KEY;
}

/* Frozen, or a copy: it must not change until it is sent. */
static VALUE checked_key(VALUE key) {
    if (!fits(key)) rb_raise(rb_eArgError, "a key must be a String of 1 to %d bytes on the wire", META_LONGEST_KEY);
    return rb_str_new_frozen(key);
}

/* Runs no Ruby code, which could change an Array that the text comes from. */
static VALUE checked_text(VALUE text) {
    Check_Type(text, T_STRING);
    return rb_str_new_frozen(text);
}

static VALUE checked_keys(VALUE keys) {
    Check_Type(keys, T_ARRAY);
    VALUE checked = rb_ary_new_capa(RARRAY_LEN(keys));
    for (long at = 0; at < RARRAY_LEN(keys); at++) rb_ary_push(checked, checked_key(RARRAY_AREF(keys, at)));
    return checked;
}

/* call-seq: Request.fits?(key) -> true or false
 *
 * Whether it is a String that can be a key as it is. */
static VALUE request_fits(VALUE class, VALUE key) { return RBOOL(fits(key)); }

/* call-seq: Request.fit?(keys) -> true or false
 *
 * Whether all of the Array can be keys as they are. */
static VALUE request_fit(VALUE class, VALUE keys) {
    Check_Type(keys, T_ARRAY);
    for (long at = 0; at < RARRAY_LEN(keys); at++) {
        if (!fits(RARRAY_AREF(keys, at))) return Qfalse;
    }
    return Qtrue;
}

/* call-seq: Request.get(key, flags) -> Request */
static VALUE request_get(VALUE class, VALUE key, VALUE flags) {
    return create(KIND_GET, checked_key(key), Qnil, checked_text(flags));
}

/* call-seq: Request.store(key, value, client_flags, flags) -> Request */
static VALUE request_store(VALUE class, VALUE key, VALUE value, VALUE client_flags, VALUE flags) {
    VALUE self = create(KIND_STORE, checked_key(key), checked_text(value), checked_text(flags));
    memcached_request_of(self)->client_flags = NUM2UINT(client_flags);
    return self;
}

/* call-seq: Request.delete(key, flags) -> Request */
static VALUE request_delete(VALUE class, VALUE key, VALUE flags) {
    return create(KIND_DELETE, checked_key(key), Qnil, checked_text(flags));
}

/* call-seq: Request.count(key, flags) -> Request
 *
 * Increments or decrements a number. */
static VALUE request_count(VALUE class, VALUE key, VALUE flags) {
    return create(KIND_COUNT, checked_key(key), Qnil, checked_text(flags));
}

/* call-seq: Request.line(text, beginning) -> Request
 *
 * A command without a key whose answer is one line with this beginning. */
static VALUE request_line(VALUE class, VALUE text, VALUE beginning) {
    return create(KIND_LINE, checked_text(text), Qnil, checked_text(beginning));
}

/* call-seq: Request.statistics(text) -> Request
 *
 * A command whose answer is statistics. */
static VALUE request_statistics(VALUE class, VALUE text) { return create(KIND_STATISTICS, checked_text(text), Qnil, Qnil); }

static VALUE many(memcached_kind_t kind, VALUE keys, VALUE values, VALUE flags) {
    VALUE self = create(kind, checked_keys(keys), values, checked_text(flags));
    memcached_request_of(self)->many = true;
    return self;
}

/* call-seq: Request.get_many(keys, names, flags) -> Request
 *
 * Gets each key of the Array in one flight. The results are Hashes by the names, which the caller has for the keys, in the same order. */
static VALUE request_get_many(VALUE class, VALUE keys, VALUE names, VALUE flags) {
    Check_Type(names, T_ARRAY);
    VALUE self = many(KIND_GET, keys, Qnil, flags);
    memcached_request_t *request = memcached_request_of(self);
    if (RARRAY_LEN(names) != RARRAY_LEN(request->key)) rb_raise(rb_eArgError, "there must be as many names as keys");
    request->names = names == keys ? request->key : rb_ary_freeze(rb_ary_dup(names));
    return self;
}

static VALUE checked_values(VALUE keys, VALUE values) {
    Check_Type(values, T_ARRAY);
    if (RARRAY_LEN(values) != 2 * RARRAY_LEN(keys)) rb_raise(rb_eArgError, "there must be a value and flags for every key");
    VALUE checked = rb_ary_new_capa(RARRAY_LEN(values));
    for (long at = 0; at < RARRAY_LEN(values); at += 2) {
        rb_ary_push(checked, checked_text(RARRAY_AREF(values, at)));
        VALUE flags = RARRAY_AREF(values, at + 1);
        if (!RB_INTEGER_TYPE_P(flags)) Check_Type(flags, T_FIXNUM);
        rb_ary_push(checked, UINT2NUM(NUM2UINT(flags)));
    }
    return checked;
}

/* call-seq: Request.store_many(keys, values, flags) -> Request
 *
 * values: Array of a value and its client flags, for every key. */
static VALUE request_store_many(VALUE class, VALUE keys, VALUE values, VALUE flags) {
    Check_Type(keys, T_ARRAY);
    return many(KIND_STORE, keys, checked_values(keys, values), flags);
}

/* call-seq: Request.delete_many(keys, flags) -> Request */
static VALUE request_delete_many(VALUE class, VALUE keys, VALUE flags) { return many(KIND_DELETE, keys, Qnil, flags); }

/* call-seq: command -> String
 *
 * The command: "mg", "ms", "md" or "ma", or a line without a key. */
static VALUE request_command(VALUE self) {
    memcached_request_t *request = memcached_request_of(self);
    return request->kind >= KIND_LINE ? request->key : rb_sprintf("m%c", META_VERBS[request->kind]);
}

/* call-seq: again -> Request
 *
 * A new request for the same, with the same deadline. */
static VALUE request_again(VALUE self) {
    memcached_request_t *request = memcached_request_of(self);
    VALUE object = create(request->kind, request->key, request->value, request->flags);
    memcached_request_t *again = memcached_request_of(object);
    again->base.deadline = again->base.wait_until = request->base.deadline;
    again->client_flags = request->client_flags;
    again->many = request->many;
    again->names = request->names;
    return object;
}

/* call-seq: answered? -> true or false
 *
 * Whether the server has executed it, or has refused it because of the value. Otherwise see error and failure. */
static VALUE request_is_answered(VALUE self) {
    memcached_request_t *request = memcached_request_of(self);
    return RBOOL(request->base.done && NIL_P(request->error) && NIL_P(request->base.failure));
}

/* call-seq: stored? -> true or false
 *
 * Whether it was executed (HD). Also for deletes. */
static VALUE request_is_stored(VALUE self) { return RBOOL(memcached_request_of(self)->code == META_DONE); }

/* call-seq: found? -> true or false */
static VALUE request_is_found(VALUE self) {
    meta_code_t code = memcached_request_of(self)->code;
    return RBOOL(code == META_VALUE || code == META_DONE);
}

/* call-seq: changed? -> true or false
 *
 * Whether it was refused because the value has another version (EX). */
static VALUE request_is_changed(VALUE self) { return RBOOL(memcached_request_of(self)->code == META_EXISTS); }

/* The results for many keys, as a Hash by the caller's names for them. If a key was sent twice, the later value counts, and a fact that came for the
 * earlier one only is left out. */
static VALUE by_names(const memcached_request_t *request, VALUE came) {
    VALUE named = rb_hash_new();
    for (long at = 0; !NIL_P(request->answer) && at < RARRAY_LEN(request->answer); at++) {
        if (NIL_P(RARRAY_AREF(request->answer, at))) continue;
        VALUE name = RARRAY_AREF(request->names, at), one = NIL_P(came) ? Qnil : rb_ary_entry(came, at);
        if (!NIL_P(one)) rb_hash_aset(named, name, one);
        else if (RHASH_SIZE(named) > 0) rb_hash_delete(named, name);
    }
    return named;
}

/* call-seq: answer -> String, Hash or nil
 *
 * For many gets a new Hash each time. */
static VALUE request_answer(VALUE self) {
    const memcached_request_t *request = memcached_request_of(self);
    return NIL_P(request->names) ? request->answer : by_names(request, request->answer);
}

/* call-seq: client_flags -> Integer
 *
 * The client flags that were stored with the value. */
static VALUE request_client_flags(VALUE self) { return UINT2NUM(memcached_request_of(self)->answer_flags); }

/* call-seq: coded -> Hash or nil */
static VALUE request_coded(VALUE self) {
    const memcached_request_t *request = memcached_request_of(self);
    return NIL_P(request->coded) ? Qnil : by_names(request, request->coded);
}

/* call-seq: versions -> Hash or nil */
static VALUE request_versions(VALUE self) {
    const memcached_request_t *request = memcached_request_of(self);
    return NIL_P(request->versions) ? Qnil : by_names(request, request->versions);
}

static VALUE request_error(VALUE self) { return memcached_request_of(self)->error; }
static VALUE request_cas(VALUE self) { return ULL2NUM(memcached_request_of(self)->cas); }
static VALUE request_done_count(VALUE self) { return UINT2NUM(memcached_request_of(self)->done_count); }
static VALUE request_won(VALUE self) { return RBOOL(memcached_request_of(self)->won); }
static VALUE request_lost(VALUE self) { return RBOOL(memcached_request_of(self)->lost); }
static VALUE request_stale(VALUE self) { return RBOOL(memcached_request_of(self)->stale); }

/* call-seq: hit_before? -> true or false
 *
 * Whether the value was read before. For requests with the flag h. */
static VALUE request_was_hit_before(VALUE self) { return RBOOL(memcached_request_of(self)->hit_before); }

/* call-seq: last_access -> Integer
 *
 * Seconds since the value was read or stored. For requests with the flag l. */
static VALUE request_last_access(VALUE self) { return UINT2NUM(memcached_request_of(self)->last_access); }

/* call-seq: ttl_remaining -> Integer
 *
 * Seconds until the value expires; -1: it does not. For requests with the flag t. */
static VALUE request_ttl_remaining(VALUE self) { return LL2NUM(memcached_request_of(self)->remaining); }

static VALUE request_reads(VALUE self) { return RBOOL(memcached_request_of(self)->kind == KIND_GET); }
/* call-seq: waited -> Float
 *
 * Seconds since it joined the requests in flight. */
static VALUE request_waited(VALUE self) { return DBL2NUM(clock_now() - memcached_request_of(self)->base.work.pushed); }

static VALUE request_key(VALUE self) { return memcached_request_of(self)->key; }

void Init_trunkline_memcached_request(void) {
    cRequest = rb_define_class_under(mTrunklineMemcached, "Request", cTrunklineRequest);
    rb_undef_alloc_func(cRequest);
    rb_define_singleton_method(cRequest, "fits?", request_fits, 1);
    rb_define_singleton_method(cRequest, "fit?", request_fit, 1);
    rb_define_singleton_method(cRequest, "get", request_get, 2);
    rb_define_singleton_method(cRequest, "store", request_store, 4);
    rb_define_singleton_method(cRequest, "delete", request_delete, 2);
    rb_define_singleton_method(cRequest, "count", request_count, 2);
    rb_define_singleton_method(cRequest, "line", request_line, 2);
    rb_define_singleton_method(cRequest, "statistics", request_statistics, 1);
    rb_define_singleton_method(cRequest, "get_many", request_get_many, 3);
    rb_define_singleton_method(cRequest, "store_many", request_store_many, 3);
    rb_define_singleton_method(cRequest, "delete_many", request_delete_many, 2);
    rb_define_method(cRequest, "command", request_command, 0);
    rb_define_method(cRequest, "again", request_again, 0);
    rb_define_method(cRequest, "answered?", request_is_answered, 0);
    rb_define_method(cRequest, "stored?", request_is_stored, 0);
    rb_define_method(cRequest, "found?", request_is_found, 0);
    rb_define_method(cRequest, "changed?", request_is_changed, 0);
    rb_define_method(cRequest, "answer", request_answer, 0);
    rb_define_method(cRequest, "client_flags", request_client_flags, 0);
    rb_define_method(cRequest, "coded", request_coded, 0);
    rb_define_method(cRequest, "versions", request_versions, 0);
    rb_define_method(cRequest, "error", request_error, 0);
    rb_define_method(cRequest, "cas", request_cas, 0);
    rb_define_method(cRequest, "done_count", request_done_count, 0);
    rb_define_method(cRequest, "won?", request_won, 0);
    rb_define_method(cRequest, "lost?", request_lost, 0);
    rb_define_method(cRequest, "stale?", request_stale, 0);
    rb_define_method(cRequest, "hit_before?", request_was_hit_before, 0);
    rb_define_method(cRequest, "last_access", request_last_access, 0);
    rb_define_method(cRequest, "ttl_remaining", request_ttl_remaining, 0);
    rb_define_method(cRequest, "reads?", request_reads, 0);
    rb_define_method(cRequest, "waited", request_waited, 0);
    rb_define_method(cRequest, "key", request_key, 0);
}
