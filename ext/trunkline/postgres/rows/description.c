#include "description.h"

#include <ruby/encoding.h>
#include <string.h>
#include "../messages/row_description.h"
#include "row_hash.h"
#include "../../trunk/runtime/protocol_error.h"
#include "../../common/classes.h"

static VALUE cDescription;
static VALUE empty;

static void description_mark(void *data) {
    description_t *description = data;
    rb_gc_mark(description->columns);
    rb_gc_mark(description->symbols);
    rb_gc_mark(description->types);
    rb_gc_mark(description->modifiers);
    rb_gc_mark(description->decoding);
    rb_gc_mark(description->unknown);
    rb_gc_mark(description->finishers);
    rb_gc_mark(description->annotation);
}

static void description_free(void *data) {
    ruby_xfree(((description_t *)data)->decoders);
    ruby_xfree(((description_t *)data)->message);
    ruby_xfree(data);
}

static size_t description_memsize(const void *data) {
    const description_t *description = data;
    return sizeof *description + description->message_length + description->count * sizeof *description->decoders;
}

static const rb_data_type_t description_type = {
    .wrap_struct_name = "Trunkline::Postgres::Description",
    .function = {.dmark = description_mark, .dfree = description_free, .dsize = description_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* A new object for so many columns, with a copy of the message. */
static VALUE description_create(uint16_t count, const char *message, size_t length) {
    description_t *description;
    VALUE self = TypedData_Make_Struct(cDescription, description_t, &description_type, description);
    description->unknown = description->finishers = description->annotation = Qnil;
    description->columns = description->symbols = description->types = description->modifiers = description->decoding = Qnil;
    description->columns = rb_ary_new_capa(count);
    description->decoders = ALLOC_N(column_decoder_t, count ? count : 1);
    description->count = count;
    if (message == NULL) return self;
    description->message = ALLOC_N(char, length);
    memcpy(description->message, message, length);
    description->message_length = length;
    return self;
}

static void note_ruby_calls(description_t *description) {
    for (uint16_t at = 0; at < description->count; at++) description->calls_ruby |= column_decoder_calls_ruby(&description->decoders[at]);
}

static void seal(description_t *description) {
    note_ruby_calls(description);
    rb_ary_freeze(description->columns);
    description->binary = true;
    for (uint16_t at = 0; at < description->count; at++) {
        if (!column_decoder_binary(&description->decoders[at])) description->binary = false;
    }
}

/* How the caller wants values of the type: nil as usual, :text, :bytes as they come in the binary format, or a callable, which gets the text. */
static VALUE choice(VALUE decoding, VALUE type) { return NIL_P(decoding) ? Qnil : rb_hash_aref(decoding, type); }

/* Chooses the column's decoder. A type that is not built in is added to those that Ruby has to look up. The description stays plain where Ruby has
 * nothing to do. */
static void choose_decoder(description_t *description, uint16_t at, uint32_t oid) {
    VALUE type = UINT2NUM(oid), chosen = choice(description->decoding, type);
    if (chosen == ID2SYM(rb_intern("bytes"))) {
        column_decoder_for_bytes(&description->decoders[at]);
    } else if (!NIL_P(chosen)) {
        column_decoder_for_text(oid, &description->decoders[at]);
        if (!SYMBOL_P(chosen)) description->plain = false;
    } else if (column_decoder_for(oid, &description->decoders[at])) {
        if (column_decoder_finished_in_ruby(&description->decoders[at])) description->plain = false;
    } else {
        if (NIL_P(description->unknown)) description->unknown = rb_ary_new();
        rb_ary_push(description->unknown, type);
        description->plain = false;
    }
}

VALUE description_from_message(const char *body, size_t length, VALUE decoding) {
    reader_t reader = reader_of(body, length);
    uint16_t count = row_description_open(&reader);
    if (!reader.whole) protocol_error("RowDescription announces more columns than it holds");
    VALUE self = description_create(count, body, length);
    description_t *description = description_of(self);
    description->decoding = decoding;
    description->plain = true;
    for (uint16_t at = 0; at < count; at++) {
        column_t column;
        if (!row_description_column(&reader, &column)) protocol_error("RowDescription ends too early");
        rb_ary_push(description->columns, rb_enc_interned_str(column.name, column.name_length, rb_utf8_encoding()));
        choose_decoder(description, at, column.type);
    }
    if (reader_left(&reader) > 0) protocol_error("RowDescription has bytes after its last column");
    seal(description);
    return self;
}

bool description_made_from(VALUE self, const char *body, size_t length) {
    const description_t *description = description_of(self);
    return description->message != NULL && description->message_length == length && memcmp(description->message, body, length) == 0;
}

VALUE description_empty(void) { return empty; }

/* call-seq: Description.empty -> Description
 *
 * The description of no columns. */
static VALUE description_class_empty(VALUE class) { return empty; }

/* call-seq: plain? -> true or false
 *
 * Whether the values that C decodes are final. Otherwise see unknown and finishers. */
static VALUE description_is_plain(VALUE self) { return RBOOL(description_of(self)->plain); }

/* The columns' names as Symbols. */
static VALUE symbols_of(description_t *description) {
    if (!NIL_P(description->symbols)) return description->symbols;
    VALUE symbols = rb_ary_new_capa(description->count);
    for (uint16_t at = 0; at < description->count; at++) rb_ary_push(symbols, rb_str_intern(RARRAY_AREF(description->columns, at)));
    return description->symbols = rb_ary_freeze(symbols);
}

/* Reads the message again, which was valid when the description was made. */
static VALUE each_column(const description_t *description, VALUE (*fact)(const column_t *)) {
    VALUE facts = rb_ary_new_capa(description->count);
    reader_t reader = reader_of(description->message, description->message_length);
    if (description->count > 0) row_description_open(&reader);
    for (uint16_t at = 0; at < description->count; at++) {
        column_t column;
        row_description_column(&reader, &column);
        rb_ary_push(facts, fact(&column));
    }
    return rb_ary_freeze(facts);
}

static VALUE type_of(const column_t *column) { return UINT2NUM(column->type); }
static VALUE modifier_of(const column_t *column) { return INT2NUM(column->modifier); }
static VALUE origin_of(const column_t *column) {
    return rb_ary_new_from_args(3, UINT2NUM(column->table), INT2FIX(column->number), INT2FIX(column->size));
}

static VALUE types_of(description_t *description) {
    if (NIL_P(description->types)) description->types = each_column(description, type_of);
    return description->types;
}

static VALUE modifiers_of(description_t *description) {
    if (NIL_P(description->modifiers)) description->modifiers = each_column(description, modifier_of);
    return description->modifiers;
}

/* call-seq: named(row) -> Hash
 *
 * The values by their columns' names. If two have one name, the later one counts. */
static VALUE description_named(VALUE self, VALUE row) { return row_hash(description_of(self)->columns, row); }

/* call-seq: symbolized(row) -> Hash
 *
 * As named, with Symbols. */
static VALUE description_symbolized(VALUE self, VALUE row) { return row_hash(symbols_of(description_of(self)), row); }

/* call-seq: binary? -> true or false
 *
 * Whether all columns can be decoded in binary format. */
static VALUE description_is_binary(VALUE self) { return RBOOL(description_of(self)->binary); }

static VALUE description_columns(VALUE self) { return description_of(self)->columns; }
static VALUE description_types(VALUE self) { return types_of(description_of(self)); }
static VALUE description_modifiers(VALUE self) { return modifiers_of(description_of(self)); }
static VALUE description_decoding(VALUE self) { return description_of(self)->decoding; }
static VALUE description_unknown(VALUE self) { return description_of(self)->unknown; }
static VALUE description_finishers(VALUE self) { return description_of(self)->finishers; }
static VALUE description_annotation(VALUE self) { return description_of(self)->annotation; }
static VALUE description_annotate(VALUE self, VALUE annotation) { return description_of(self)->annotation = annotation; }

/* call-seq: origins -> Array
 *
 * Of each column: the OID of its table and its number there, 0 if it is not a table's; and the bytes of its type, -1 if they vary. */
static VALUE description_origins(VALUE self) { return each_column(description_of(self), origin_of); }

/* call-seq: resolved(types) -> Description
 *
 * The same columns, with decoders for user-defined types: `types` has for each one the built-in type by which it is decoded, and whether as an array
 * of that. Values that were decoded before are not changed. */
static VALUE description_resolved(VALUE self, VALUE types) {
    description_t *description = description_of(self);
    VALUE oids = types_of(description), copy = description_create(description->count, description->message, description->message_length);
    description_t *resolved = description_of(copy);
    resolved->columns = description->columns;
    resolved->types = oids;
    resolved->modifiers = description->modifiers;
    resolved->decoding = description->decoding;
    for (uint16_t at = 0; at < description->count; at++) {
        resolved->decoders[at] = description->decoders[at];
        VALUE oid = RARRAY_AREF(oids, at), type = rb_hash_aref(types, oid);
        if (NIL_P(type) || !NIL_P(choice(description->decoding, oid))) continue;
        column_decoder_for(NUM2UINT(rb_ary_entry(type, 0)), &resolved->decoders[at]);
        if (RTEST(rb_ary_entry(type, 1))) resolved->decoders[at].array = true;
    }
    note_ruby_calls(resolved);
    RB_GC_GUARD(self);
    return copy;
}

/* call-seq: finish_with(finishers) -> description
 *
 * Sets what turns the codec's values into the final ones: an Array with a callable or nil per column, or nil for none. */
static VALUE description_finish_with(VALUE self, VALUE finishers) {
    description_t *description = description_of(self);
    description->finishers = finishers;
    description->plain = NIL_P(finishers);
    return self;
}

void Init_trunkline_description(void) {
    cDescription = rb_define_class_under(mTrunklinePostgres, "Description", rb_cObject);
    trunkline_refuse_allocation(cDescription);
    rb_define_singleton_method(cDescription, "empty", description_class_empty, 0);
    rb_define_method(cDescription, "plain?", description_is_plain, 0);
    rb_define_method(cDescription, "named", description_named, 1);
    rb_define_method(cDescription, "symbolized", description_symbolized, 1);
    rb_define_method(cDescription, "binary?", description_is_binary, 0);
    rb_define_method(cDescription, "columns", description_columns, 0);
    rb_define_method(cDescription, "types", description_types, 0);
    rb_define_method(cDescription, "modifiers", description_modifiers, 0);
    rb_define_method(cDescription, "decoding", description_decoding, 0);
    rb_define_method(cDescription, "unknown", description_unknown, 0);
    rb_define_method(cDescription, "finishers", description_finishers, 0);
    rb_define_method(cDescription, "annotation", description_annotation, 0);
    rb_define_method(cDescription, "annotation=", description_annotate, 1);
    rb_define_method(cDescription, "origins", description_origins, 0);
    rb_define_method(cDescription, "resolved", description_resolved, 1);
    rb_define_method(cDescription, "finish_with", description_finish_with, 1);
    empty = description_create(0, NULL, 0);
    rb_gc_register_mark_object(empty);
    description_of(empty)->plain = true;
    seal(description_of(empty));
}
