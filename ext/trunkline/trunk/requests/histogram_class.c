#include "histogram_class.h"

/* Trunkline::Histogram: durations that Ruby measures. */
#include "histogram.h"
#include "../../common/classes.h"

static size_t histogram_memsize(const void *data) { return sizeof(histogram_t); }

static const rb_data_type_t histogram_type = {
    .wrap_struct_name = "Trunkline::Histogram",
    .function = {.dfree = RUBY_DEFAULT_FREE, .dsize = histogram_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE cHistogram;

static VALUE histogram_allocate(VALUE class) {
    histogram_t *histogram;
    return TypedData_Make_Struct(class, histogram_t, &histogram_type, histogram);
}

VALUE histogram_create(void) { return histogram_allocate(cHistogram); }

static histogram_t *histogram_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* call-seq: histogram << seconds -> histogram */
static VALUE histogram_class_add(VALUE self, VALUE seconds) {
    histogram_add(histogram_of(self), NUM2DBL(seconds));
    return self;
}

/* call-seq: count -> Integer */
static VALUE histogram_class_count(VALUE self) { return ULL2NUM(histogram_of(self)->count); }

/* call-seq: mean -> Float
 *
 * Seconds. */
static VALUE histogram_class_mean(VALUE self) { return DBL2NUM(histogram_mean(histogram_of(self))); }

/* call-seq: quantile(part) -> Float
 *
 * The quantile in seconds, exact to an eighth: durations up to it make up this part of all, from 0 to 1; 0 without durations. */
static VALUE histogram_class_quantile(VALUE self, VALUE part) {
    return DBL2NUM(histogram_quantile(histogram_of(self), NUM2DBL(part)));
}

void Init_trunkline_histogram(void) {
    VALUE class = cHistogram = rb_define_class_under(mTrunkline, "Histogram", rb_cObject);
    rb_define_alloc_func(class, histogram_allocate);
    rb_define_method(class, "<<", histogram_class_add, 1);
    rb_define_method(class, "count", histogram_class_count, 0);
    rb_define_method(class, "mean", histogram_class_mean, 0);
    rb_define_method(class, "quantile", histogram_class_quantile, 1);
}
