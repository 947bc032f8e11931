#include "statement.h"

#include <ruby/encoding.h>
#include <string.h>
#include "../sql/copy_statement.h"
#include "../sql/sql_lists.h"
#include "../sql/stored_columns.h"
#include "plan_epoch.h"
#include "../sql/checked_result.h"
#include "../sql/compared_columns.h"
#include "../../trunk/requests/histogram_class.h"
#include "../../common/classes.h"

static void statement_mark(void *data) {
    rb_gc_mark(((statement_t *)data)->sql);
    rb_gc_mark(((statement_t *)data)->column_check);
    rb_gc_mark(((statement_t *)data)->compared);
    rb_gc_mark(((statement_t *)data)->epochs);
    rb_gc_mark(((statement_t *)data)->decoding);
    rb_gc_mark(((statement_t *)data)->description);
    rb_gc_mark(((statement_t *)data)->service);
    rb_gc_mark(((statement_t *)data)->host_services);
    rb_gc_mark(((statement_t *)data)->response_times);
}

static void statement_free(void *data) {
    ruby_xfree(((statement_t *)data)->types);
    ruby_xfree(data);
}

static size_t statement_memsize(const void *data) {
    const statement_t *statement = data;
    return sizeof *statement + statement->type_count * sizeof *statement->types;
}

static const rb_data_type_t statement_type = {
    .wrap_struct_name = "Trunkline::Postgres::Statement",
    .function = {.dmark = statement_mark, .dfree = statement_free, .dsize = statement_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* An epoch that never ends. */
static const plan_epoch_t for_ever;

static VALUE statement_allocate(VALUE class) {
    statement_t *statement;
    VALUE self = TypedData_Make_Struct(class, statement_t, &statement_type, statement);
    statement->sql = statement->column_check = statement->compared = statement->epochs = statement->decoding = statement->description = statement->service = statement->host_services = statement->response_times = Qnil;
    statement->epoch = &for_ever;
    return self;
}

static VALUE statement_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(statement_allocate(class), argc, argv); }

statement_t *statement_checked(VALUE object) { return rb_check_typeddata(object, &statement_type); }

void statement_learn(statement_t *statement, const uint32_t *types, uint16_t count, uint64_t epoch) {
    uint32_t *copy = ALLOC_N(uint32_t, count ? count : 1);
    memcpy(copy, types, count * sizeof *types);
    ruby_xfree(statement->types);
    statement->types = copy;
    statement->type_count = count;
    statement->known = true;
    statement->type_epoch = epoch;
    if (!NIL_P(statement->compared) && compared_types_matter(types, count)) statement->column_check = statement->compared;
}

static reached_t reached_by(VALUE symbol) {
    static const char *const names[] = {
        [REACHED_BY_CALL] = "call", [REACHED_BY_NAME] = "name", [REACHED_BY_WRITING] = "writing", [REACHED_BY_OPERATOR] = "operator",
        [REACHED_BY_COMMAND] = "command",
    };
    if (NIL_P(symbol)) return REACHED_BY_CALL;
    for (size_t by = 0; by < sizeof names / sizeof *names; by++) {
        if (symbol == ID2SYM(rb_intern(names[by]))) return (reached_t)by;
    }
    rb_raise(rb_eArgError, "%+"PRIsVALUE" is no way to reach what changes the session", symbol);
}

static state_keeper_t keeper_of(VALUE described) {
    Check_Type(described, T_ARRAY);
    VALUE schema = rb_ary_entry(described, 0), name = rb_ary_entry(described, 1);
    Check_Type(name, T_STRING);
    state_keeper_t keeper = {
        .name = RSTRING_PTR(name), .name_length = RSTRING_LEN(name), .by = reached_by(rb_ary_entry(described, 2)),
        .for_good = RTEST(rb_ary_entry(described, 3)),
    };
    if (NIL_P(schema)) return keeper;
    Check_Type(schema, T_STRING);
    keeper.schema = RSTRING_PTR(schema);
    keeper.schema_length = RSTRING_LEN(schema);
    return keeper;
}

/* The classifier does not store the keepers' strings. */
static classification_t classify_with(VALUE sql, VALUE keepers) {
    VALUE memory;
    long count = RARRAY_LEN(keepers);
    state_keeper_t *list = ALLOCV_N(state_keeper_t, memory, count ? count : 1);
    for (long at = 0; at < count; at++) list[at] = keeper_of(RARRAY_AREF(keepers, at));
    classification_t classification = classify(RSTRING_PTR(sql), RSTRING_LEN(sql), list, count);
    ALLOCV_END(memory);
    return classification;
}

static void read_stored_columns(statement_t *statement) {
    buffer_t query = {0};
    stored_columns_t stored = stored_columns_query(&query, RSTRING_PTR(statement->sql), (size_t)RSTRING_LEN(statement->sql));
    if (stored.checked) statement->column_check = rb_str_new(buffer_bytes(&query), (long)buffer_size(&query));
    statement->fields = stored.fields;
    buffer_release(&query);
}

static void read_compared_columns(statement_t *statement) {
    buffer_t query = {0};
    if (compared_columns_query(&query, RSTRING_PTR(statement->sql), (size_t)RSTRING_LEN(statement->sql))) statement->compared = rb_str_new(buffer_bytes(&query), (long)buffer_size(&query));
    buffer_release(&query);
}

/* call-seq: Statement.new(sql, slot, keepers = [], epochs = nil, decoding = nil, parse_context = 0, plans = 0)
 *
 * sql is frozen UTF-8 without zero bytes; slot an Integer that no other living statement of the client has; keepers an Array of further objects that
 * change the session, each [schema or nil, name, by = :call, for_good = false]. by says how SQL reaches it, :call, :name, :writing, :operator or
 * :command, see classify.h; for_good, that only the end of the session undoes its effects. epochs: the client's PlanEpoch. decoding: the result of
 * Decoding.new. parse_context and plans: numbers, see parse_context.h. */
static VALUE statement_initialize(int argc, VALUE *argv, VALUE self) {
    statement_t *statement = statement_of(self);
    VALUE sql, slot, keepers, epochs, decoding, parse_context, plans;
    rb_scan_args(argc, argv, "25", &sql, &slot, &keepers, &epochs, &decoding, &parse_context, &plans);
    Check_Type(sql, T_STRING);
    statement->sql = sql = rb_str_new_frozen(sql);
    statement->slot = NUM2UINT(slot);
    statement->epochs = epochs;
    statement->parse_context = NIL_P(parse_context) ? 0 : NUM2ULL(parse_context);
    statement->plans = NIL_P(plans) ? 0 : NUM2ULL(plans);
    if (!NIL_P(decoding)) Check_Type(decoding, T_HASH);
    statement->decoding = decoding;
    statement->bytes = !NIL_P(decoding) && rb_hash_aref(decoding, INT2FIX(0)) == ID2SYM(rb_intern("bytes"));
    statement->service = service_time_create();
    if (!NIL_P(epochs)) statement->epoch = plan_epoch_checked(epochs);
    statement->checked_result = has_checked_result(RSTRING_PTR(sql), (size_t)RSTRING_LEN(sql));
    if (statement->checked_result) read_stored_columns(statement);
    if (statement->checked_result && NIL_P(statement->column_check)) read_compared_columns(statement);
    statement->classification = classify_with(sql, NIL_P(keepers) ? rb_ary_new() : keepers);
    return self;
}

static const char *const class_names[] = {
    [CLASS_SHAREABLE] = "shareable", [CLASS_ALONE] = "alone", [CLASS_TRANSACTION] = "transaction", [CLASS_SAVEPOINT] = "savepoint",
    [CLASS_SETTING] = "setting", [CLASS_SESSION] = "session", [CLASS_LISTEN] = "listen", [CLASS_COPY] = "copy", [CLASS_SCRIPT] = "script",
    [CLASS_UNKNOWN] = "unknown",
};

/* The names as Symbols: looking one up in each call took 700 instructions. */
static VALUE class_symbols[sizeof class_names / sizeof *class_names];

/* call-seq: classification -> Symbol
 *
 * What the statement needs of, and leaves in, its session: :shareable and :alone leave nothing behind, where :alone refuses to run within a
 * transaction; :transaction, :savepoint, :setting, :session, :listen, :copy, :script and :unknown may. */
static VALUE statement_classification(VALUE self) { return class_symbols[statement_of(self)->classification.class]; }

/* call-seq: culprit -> String
 *
 * The word of the SQL that has decided its class; empty where none has. */
static VALUE statement_culprit(VALUE self) {
    statement_t *statement = statement_of(self);
    return rb_enc_str_new(RSTRING_PTR(statement->sql) + statement->classification.at, statement->classification.length, rb_utf8_encoding());
}

/* call-seq: time_dependent? -> true or false
 *
 * Whether it has a constant, such as 'now', that means something else each time it is parsed. Then no session keeps it prepared. */
static VALUE statement_is_time_dependent(VALUE self) { return RBOOL(statement_of(self)->classification.time_dependent); }

/* call-seq: leaky! -> statement
 *
 * It has left something behind on a shared session: from now on it is sent over reserved sessions only. */
static VALUE statement_set_leaky(VALUE self) {
    statement_t *statement = statement_of(self);
    statement->leaky = true;
    if (statement_shareable(statement)) statement->classification.class = CLASS_SESSION;
    return self;
}

/* call-seq: classify_again(keepers) -> true or false
 *
 * Classifies it with other keepers, as in new. Returns whether it is shareable. */
static VALUE statement_classify_again(VALUE self, VALUE keepers) {
    Check_Type(keepers, T_ARRAY);
    statement_t *statement = statement_of(self);
    statement->classification = classify_with(statement->sql, keepers);
    if (statement->leaky) statement_set_leaky(self);
    return RBOOL(statement_shareable(statement));
}

/* call-seq: effect -> :visible, :hidden or :lasting
 *
 * Whether its text shows its effect on the session. :visible: it does; :hidden: it uses something that keeps state without its text showing it;
 * :lasting: likewise, and only the end of the session undoes that. */
static VALUE statement_effect(VALUE self) {
    const classification_t *classification = &statement_of(self)->classification;
    return ID2SYM(classification->for_good ? rb_intern("lasting") : classification->keeps_state ? rb_intern("hidden") : rb_intern("visible"));
}

static VALUE statement_is_leaky(VALUE self) { return RBOOL(statement_of(self)->leaky); }

/* call-seq: changes_nothing? -> true or false
 *
 * Whether it is shareable, and changes nothing for statements behind it in its transaction either. */
static VALUE statement_changes_nothing(VALUE self) {
    return RBOOL(statement_shareable(statement_of(self)) && !statement_of(self)->classification.sets_locally);
}

static VALUE statement_is_shareable(VALUE self) { return RBOOL(statement_shareable(statement_of(self))); }

/* call-seq: kept? -> true or false
 *
 * Whether a session may keep it prepared. Otherwise it is parsed for each execution. */
static VALUE statement_is_kept(VALUE self) { return RBOOL(statement_kept(statement_of(self))); }

/* call-seq: column_check -> String or nil
 *
 * The query for the columns that it stores into or chooses rows by, whose types the server compares before each execution. For a SELECT nil until the
 * types of its parameters are known. */
static VALUE statement_column_check(VALUE self) { return statement_of(self)->column_check; }

/* call-seq: compared_columns -> String or nil
 *
 * The query for the columns that it compares with parameters, which becomes its column check when the parameters have types that matter. */
static VALUE statement_compared_columns(VALUE self) { return statement_of(self)->compared; }

static VALUE statement_sql(VALUE self) { return statement_of(self)->sql; }
static VALUE statement_service(VALUE self) { return statement_of(self)->service; }

/* call-seq: services(count) -> Array of ServiceTime
 *
 * The service times for each of so many hosts; the number is the same in each call. */
static VALUE statement_services(VALUE self, VALUE count) {
    statement_t *statement = statement_of(self);
    if (!NIL_P(statement->host_services)) return statement->host_services;
    VALUE services = rb_ary_new();
    for (long at = 0; at < NUM2LONG(count); at++) rb_ary_push(services, service_time_create());
    return statement->host_services = rb_ary_freeze(services);
}

/* call-seq: host_services -> Array of ServiceTime, or nil */
static VALUE statement_get_host_services(VALUE self) { return statement_of(self)->host_services; }

/* call-seq: response_times -> Histogram
 *
 * How long callers waited for its answers, from any host, as far as a caller has recorded it. */
static VALUE statement_response_times(VALUE self) {
    statement_t *statement = statement_of(self);
    return NIL_P(statement->response_times) ? (statement->response_times = histogram_create()) : statement->response_times;
}

static VALUE statement_slot(VALUE self) { return UINT2NUM(statement_of(self)->slot); }

/* call-seq: parameter_types -> Array of Integer, or nil
 *
 * The parameters' type OIDs; nil until a server has described the statement. */
static VALUE statement_parameter_types(VALUE self) {
    statement_t *statement = statement_of(self);
    if (!statement_known(statement)) return Qnil;
    VALUE types = rb_ary_new_capa(statement->type_count);
    for (uint16_t at = 0; at < statement->type_count; at++) rb_ary_push(types, UINT2NUM(statement->types[at]));
    return types;
}

/* call-seq: types = Array of Integer
 *
 * Sets the OIDs of the parameters' types; 0: the server determines the type. For a statement of one use. */
static VALUE statement_set_types(VALUE self, VALUE oids) {
    Check_Type(oids, T_ARRAY);
    if (RARRAY_LEN(oids) > UINT16_MAX) rb_raise(rb_eArgError, "a statement has %d parameters at most", UINT16_MAX);
    VALUE memory;
    uint16_t count = (uint16_t)RARRAY_LEN(oids);
    uint32_t *types = ALLOCV_N(uint32_t, memory, count ? count : 1);
    for (uint16_t at = 0; at < count; at++) types[at] = NUM2UINT(RARRAY_AREF(oids, at));
    statement_of(self)->compared = Qnil;
    statement_learn(statement_of(self), types, count, statement_of(self)->epoch->number);
    statement_of(self)->column_check = Qnil; /* casts from the caller's types are intended */
    statement_of(self)->declared = true;
    ALLOCV_END(memory);
    return oids;
}

/* call-seq: declared? -> true or false
 *
 * Whether the types of its parameters were given by {#types=}. Then they are the same in each session. */
static VALUE statement_is_declared(VALUE self) { return RBOOL(statement_of(self)->declared); }

static VALUE part(VALUE sql, size_t at, size_t length) { return rb_enc_str_new(RSTRING_PTR(sql) + at, length, rb_utf8_encoding()); }

/* call-seq: copy -> Array or nil
 *
 * For COPY FROM STDIN or TO STDOUT: the table's name, or nil; the columns, as they are written, or nil; the query, or nil; whether its options leave
 * the format as the protocol reports it. */
static VALUE statement_copy(VALUE self) {
    VALUE sql = statement_of(self)->sql;
    copy_statement_t copy;
    if (!copy_statement_read(RSTRING_PTR(sql), (size_t)RSTRING_LEN(sql), &copy)) return Qnil;
    VALUE source = part(sql, copy.source, copy.source_length);
    VALUE columns = copy.columns_length ? part(sql, copy.columns, copy.columns_length) : Qnil;
    return rb_ary_new_from_args(4, copy.query ? Qnil : source, columns, copy.query ? source : Qnil, RBOOL(copy.plain));
}

/* call-seq: Postgres.copy_among(sql) -> String or nil
 *
 * The first COPY FROM STDIN or TO STDOUT of a script, in which COPY cannot be used. */
static VALUE copy_among(VALUE module, VALUE sql) {
    size_t at, length;
    StringValue(sql);
    return copy_statement_among(RSTRING_PTR(sql), (size_t)RSTRING_LEN(sql), &at, &length) ? part(sql, at, length) : Qnil;
}

/* call-seq: idle! -> true or false
 *
 * Whether it was not used since the last call of this method. */
static VALUE statement_is_idle(VALUE self) {
    statement_t *statement = statement_of(self);
    bool used = statement->used;
    statement->used = false;
    return RBOOL(!used);
}

static VALUE names_of(const char *name(size_t at)) {
    VALUE names = rb_ary_new();
    for (size_t at = 0; name(at); at++) rb_ary_push(names, rb_enc_interned_str_cstr(name(at), rb_utf8_encoding()));
    return rb_ary_freeze(names);
}

/* call-seq: Postgres.listed_functions -> Array
 *
 * Names of functions of the server and of extensions that keep state: an Array of names, one of prefixes of names, one of schemas. */
static VALUE listed_functions(VALUE module) {
    return rb_ary_new_from_args(3, names_of(listed_function), names_of(listed_function_prefix), names_of(listed_function_schema));
}

void Init_trunkline_statement(void) {
    for (size_t class = 0; class < sizeof class_names / sizeof *class_names; class++) class_symbols[class] = ID2SYM(rb_intern(class_names[class]));
    rb_define_module_function(mTrunklinePostgres, "listed_functions", listed_functions, 0);
    rb_define_module_function(mTrunklinePostgres, "copy_among", copy_among, 1);
    VALUE class = rb_define_class_under(mTrunklinePostgres, "Statement", rb_cObject);
    trunkline_define_new(class, statement_new);
    rb_define_method(class, "initialize", statement_initialize, -1);
    rb_define_method(class, "sql", statement_sql, 0);
    rb_define_method(class, "column_check", statement_column_check, 0);
    rb_define_method(class, "compared_columns", statement_compared_columns, 0);
    rb_define_method(class, "slot", statement_slot, 0);
    rb_define_method(class, "types=", statement_set_types, 1);
    rb_define_method(class, "declared?", statement_is_declared, 0);
    rb_define_method(class, "parameter_types", statement_parameter_types, 0);
    rb_define_method(class, "classification", statement_classification, 0);
    rb_define_method(class, "culprit", statement_culprit, 0);
    rb_define_method(class, "shareable?", statement_is_shareable, 0);
    rb_define_method(class, "classify_again", statement_classify_again, 1);
    rb_define_method(class, "effect", statement_effect, 0);
    rb_define_method(class, "changes_nothing?", statement_changes_nothing, 0);
    rb_define_method(class, "leaky!", statement_set_leaky, 0);
    rb_define_method(class, "leaky?", statement_is_leaky, 0);
    rb_define_method(class, "time_dependent?", statement_is_time_dependent, 0);
    rb_define_method(class, "kept?", statement_is_kept, 0);
    rb_define_method(class, "service", statement_service, 0);
    rb_define_method(class, "services", statement_services, 1);
    rb_define_method(class, "host_services", statement_get_host_services, 0);
    rb_define_method(class, "response_times", statement_response_times, 0);
    rb_define_method(class, "copy", statement_copy, 0);
    rb_define_method(class, "idle!", statement_is_idle, 0);
}
