#include "unclaimed.h"

#include "../../common/classes.h"

static void release(unclaimed_sum_t *sum) {
    if (--sum->references == 0) ruby_xfree(sum);
}

void unclaimed_end(unclaimed_t *unclaimed) {
    if (!unclaimed->sum) return;
    unclaimed->sum->bytes -= unclaimed->bytes;
    release(unclaimed->sum);
    unclaimed->sum = NULL;
    unclaimed->bytes = 0;
}

static void unclaimed_answers_free(void *data) {
    if (data) release(data);
}

static size_t unclaimed_answers_memsize(const void *data) { return sizeof(unclaimed_sum_t); }

static const rb_data_type_t unclaimed_answers_type = {
    .wrap_struct_name = "Trunkline::Postgres::UnclaimedAnswers",
    .function = {.dfree = unclaimed_answers_free, .dsize = unclaimed_answers_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* call-seq: UnclaimedAnswers.new -> UnclaimedAnswers */
static VALUE unclaimed_answers_allocate(VALUE class) {
    unclaimed_sum_t *sum;
    VALUE self = TypedData_Make_Struct(class, unclaimed_sum_t, &unclaimed_answers_type, sum);
    sum->references = 1;
    return self;
}

/* call-seq: bytes -> Integer
 *
 * The bytes of all answers that are counted. */
static VALUE unclaimed_answers_bytes(VALUE self) {
    const unclaimed_sum_t *sum = rb_check_typeddata(self, &unclaimed_answers_type);
    return SIZET2NUM(sum->bytes);
}

void unclaimed_begin(unclaimed_t *unclaimed, VALUE answers) {
    unclaimed_sum_t *sum = rb_check_typeddata(answers, &unclaimed_answers_type);
    unclaimed_end(unclaimed);
    unclaimed->sum = sum;
    sum->references++;
}

void Init_trunkline_unclaimed(void) {
    VALUE class = rb_define_class_under(mTrunklinePostgres, "UnclaimedAnswers", rb_cObject);
    rb_define_alloc_func(class, unclaimed_answers_allocate);
    rb_define_method(class, "bytes", unclaimed_answers_bytes, 0);
}
