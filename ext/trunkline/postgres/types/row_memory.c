#include "row_memory.h"

#include "json_memory.h"
#include "../../common/classes.h"

/* Measured: see json_memory.c. */
static const json_costs_t json_costs = {.empty_hash = RUBY_IS_AT_LEAST(3) ? 160 : 40, .twice = RUBY_IS_AT_LEAST(3), .slots = RUBY_IS_AT_LEAST(2)};

static VALUE cRowMemory, eUnreadableResult;

static const rb_data_type_t row_memory_type = {
    .wrap_struct_name = "Trunkline::Postgres::RowMemory",
    .function = {.dfree = RUBY_TYPED_DEFAULT_FREE},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

row_memory_t *row_memory_checked(VALUE object) { return rb_check_typeddata(object, &row_memory_type); }

static row_memory_t *row_memory_in(VALUE self) { return RTYPEDDATA_DATA(self); }

void row_memory_exceeded(const row_memory_t *memory) {
    VALUE message = rb_sprintf("the values of a row take more bytes of memory than max_message, %"PRIuSIZE, memory->most);
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(rb_intern("sent")), Qtrue);
    VALUE arguments[] = {message, options};
    rb_exc_raise(rb_class_new_instance_kw(2, arguments, eUnreadableResult, RB_PASS_KEYWORDS));
}

/* call-seq: RowMemory.new(most = 256 MiB) -> RowMemory
 *
 * A new count for one row, with a limit of so many bytes. */
static VALUE row_memory_new(int argc, VALUE *argv, VALUE class) {
    rb_check_arity(argc, 0, 1);
    size_t most = argc == 0 ? ROW_MEMORY_BY_DEFAULT : NUM2SIZET(argv[0]);
    row_memory_t *memory;
    VALUE self = TypedData_Make_Struct(class, row_memory_t, &row_memory_type, memory);
    *memory = row_memory_of(most);
    return self;
}

/* call-seq: take(bytes) -> self
 *
 * Counts memory that is about to be allocated. Raises UnreadableResult if the row's values would take more than the limit. */
static VALUE row_memory_take_bytes(VALUE self, VALUE bytes) {
    row_memory_take(row_memory_in(self), NUM2SIZET(bytes));
    return self;
}

/* call-seq: take_array(size) -> self
 *
 * Counts an Array of so many elements, without their own memory. Raises UnreadableResult as take does. */
static VALUE row_memory_take_array(VALUE self, VALUE size) {
    uint32_t elements = NUM2UINT(size); /* as many as an array of the server may have */
    row_memory_take(row_memory_in(self), OBJECT_BYTES + (uint64_t)elements * SLOT_BYTES);
    return self;
}

/* call-seq: take_json(text) -> self
 *
 * Counts the objects that JSON.parse would make from the text. Raises UnreadableResult as take does. */
static VALUE row_memory_take_json(VALUE self, VALUE text) {
    StringValue(text);
    row_memory_take(row_memory_in(self), json_memory(RSTRING_PTR(text), (size_t)RSTRING_LEN(text), json_costs));
    RB_GC_GUARD(text);
    return self;
}

/* call-seq: taken -> Integer
 *
 * Bytes that were counted. */
static VALUE row_memory_taken(VALUE self) { return SIZET2NUM(row_memory_in(self)->taken); }

void Init_trunkline_row_memory(void) {
    eUnreadableResult = rb_path2class("Trunkline::UnreadableResult");
    rb_gc_register_mark_object(eUnreadableResult);
    cRowMemory = rb_define_class_under(mTrunklinePostgres, "RowMemory", rb_cObject);
    trunkline_define_new(cRowMemory, row_memory_new);
    rb_define_method(cRowMemory, "take", row_memory_take_bytes, 1);
    rb_define_method(cRowMemory, "take_array", row_memory_take_array, 1);
    rb_define_method(cRowMemory, "taken", row_memory_taken, 0);
    rb_define_method(cRowMemory, "take_json", row_memory_take_json, 1);
}
