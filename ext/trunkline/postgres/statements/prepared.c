#include "prepared.h"

#include <string.h>
#include "statement.h"
#include "../../common/classes.h"

#define CHECKS 'c' /* last byte of a column check's name */

static VALUE cPrepared;

static void prepared_mark(void *data) {
    prepared_t *prepared = data;
    rb_gc_mark(prepared->statement);
    rb_gc_mark(prepared->description);
}

static void prepared_free(void *data) {
    ruby_xfree(((prepared_t *)data)->types);
    ruby_xfree(((prepared_t *)data)->expected);
    ruby_xfree(data);
}

static size_t prepared_memsize(const void *data) {
    const prepared_t *prepared = data;
    return sizeof *prepared + prepared->type_count * (sizeof *prepared->types + (prepared->expected ? sizeof *prepared->expected : 0));
}

static const rb_data_type_t prepared_type = {
    .wrap_struct_name = "Trunkline::Postgres::Prepared",
    .function = {.dmark = prepared_mark, .dfree = prepared_free, .dsize = prepared_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

VALUE prepared_create(VALUE statement, span_t prefix, uint64_t number) {
    prepared_t *prepared;
    VALUE self = TypedData_Make_Struct(cPrepared, prepared_t, &prepared_type, prepared);
    prepared->statement = statement;
    prepared->description = Qnil;
    prepared->stale = prefix.length == 0;
    if (prefix.length == 0) return self;
    prepared->name_length = frontend_statement_name(prefix, number, prepared->name);
    if (!NIL_P(statement_of(statement)->column_check)) {
        memcpy(prepared->check, prepared->name, prepared->name_length);
        prepared->check[prepared->name_length] = CHECKS;
    }
    return self;
}

static void set_types(prepared_t *prepared, const uint32_t *types, uint16_t count) {
    uint32_t *copy = ALLOC_N(uint32_t, count ? count : 1);
    memcpy(copy, types, count * sizeof *types);
    ruby_xfree(prepared->types);
    ruby_xfree(prepared->expected);
    prepared->expected = NULL;
    prepared->types = copy;
    prepared->type_count = count;
}

/* A bytea would be longer as text. For text and JSON a Hash, an Array or a binary String is written in a form of its own. */
static bool is_declared(uint32_t type, declaring_t declaring) {
    enum { TYPE_BYTEA = 17, TYPE_TEXT = 25, TYPE_JSON = 114, TYPE_VARCHAR = 1043, TYPE_JSONB = 3802 };
    if (type == TYPE_BYTEA) return declaring != DECLARE_NONE;
    return declaring == DECLARE_FORMS && (type == TYPE_TEXT || type == TYPE_JSON || type == TYPE_VARCHAR || type == TYPE_JSONB);
}

void prepared_expect(prepared_t *prepared, const uint32_t *types, uint16_t count, declaring_t declaring) {
    set_types(prepared, types, count);
    for (uint16_t at = 0; at < count; at++) {
        if (!is_declared(types[at], declaring)) continue;
        if (!prepared->expected) prepared->expected = ZALLOC_N(uint32_t, count);
        prepared->expected[at] = types[at];
    }
}

void prepared_learn(prepared_t *prepared, const uint32_t *types, uint16_t count) {
    set_types(prepared, types, count);
    prepared->known = true;
}

static VALUE prepared_is_parsed(VALUE self) { return RBOOL(prepared_of(self)->parsed); }
static VALUE prepared_is_stale(VALUE self) { return RBOOL(prepared_of(self)->stale); }

/* call-seq: parameter_types -> Array of Integer, or nil
 *
 * OIDs of the parameters' types in the session; nil where the server has not sent them, or has parsed the SQL under other settings than those that
 * are sent with the statement. */
static VALUE prepared_parameter_types(VALUE self) {
    const prepared_t *prepared = prepared_of(self);
    if (!prepared->known || prepared->parse_context != statement_of(prepared->statement)->parse_context) return Qnil;
    VALUE types = rb_ary_new_capa(prepared->type_count);
    for (uint16_t at = 0; at < prepared->type_count; at++) rb_ary_push(types, UINT2NUM(prepared->types[at]));
    return types;
}

void Init_trunkline_prepared(void) {
    cPrepared = rb_define_class_under(mTrunklinePostgres, "Prepared", rb_cObject);
    rb_undef_alloc_func(cPrepared);
    rb_define_method(cPrepared, "parsed?", prepared_is_parsed, 0);
    rb_define_method(cPrepared, "stale?", prepared_is_stale, 0);
    rb_define_method(cPrepared, "parameter_types", prepared_parameter_types, 0);
}
