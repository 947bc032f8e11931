#include "unasked.h"

#include "postgres_request.h"
#include "../../common/classes.h"

static void release(unasked_sum_t *sum) {
    if (--sum->references == 0) ruby_xfree(sum);
}

void unasked_end(unasked_t *unasked) {
    if (!unasked->sum) return;
    unasked->sum->bytes -= unasked->bytes;
    release(unasked->sum);
    unasked->sum = NULL;
    unasked->bytes = 0;
}

static void unasked_answers_free(void *data) {
    if (data) release(data);
}

static size_t unasked_answers_memsize(const void *data) { return sizeof(unasked_sum_t); }

static const rb_data_type_t unasked_answers_type = {
    .wrap_struct_name = "Trunkline::Postgres::UnaskedAnswers",
    .function = {.dfree = unasked_answers_free, .dsize = unasked_answers_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* call-seq: UnaskedAnswers.new -> UnaskedAnswers */
static VALUE unasked_answers_allocate(VALUE class) {
    unasked_sum_t *sum;
    VALUE self = TypedData_Make_Struct(class, unasked_sum_t, &unasked_answers_type, sum);
    sum->references = 1;
    return self;
}

/* call-seq: bytes -> Integer
 *
 * Of all answers that are counted. */
static VALUE unasked_answers_bytes(VALUE self) {
    const unasked_sum_t *sum = rb_check_typeddata(self, &unasked_answers_type);
    return SIZET2NUM(sum->bytes);
}

/* call-seq: unasked(unasked_answers) -> request
 *
 * The rows that come for it are counted there, until it is asked for or freed. */
static VALUE request_unasked(VALUE self, VALUE answers) {
    unasked_sum_t *sum = rb_check_typeddata(answers, &unasked_answers_type);
    unasked_t *unasked = &postgres_request_of(self)->unasked;
    unasked_end(unasked);
    unasked->sum = sum;
    sum->references++;
    return self;
}

/* call-seq: asked -> request
 *
 * A caller has asked for its answer, which is not counted any more. */
static VALUE request_asked(VALUE self) {
    unasked_end(&postgres_request_of(self)->unasked);
    return self;
}

void Init_trunkline_unasked(void) {
    VALUE class = rb_define_class_under(mTrunklinePostgres, "UnaskedAnswers", rb_cObject);
    rb_define_alloc_func(class, unasked_answers_allocate);
    rb_define_method(class, "bytes", unasked_answers_bytes, 0);
    VALUE request = rb_path2class("Trunkline::Postgres::Request");
    rb_define_method(request, "unasked", request_unasked, 1);
    rb_define_method(request, "asked", request_asked, 0);
}
