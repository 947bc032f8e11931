#include "plan_epoch.h"

#include "../trunkline.h"

static VALUE cPlanEpoch;

static size_t plan_epoch_memsize(const void *data) { return sizeof(uint64_t); }

static const rb_data_type_t plan_epoch_type = {
    .wrap_struct_name = "Trunkline::Postgres::PlanEpoch",
    .function = {.dfree = RUBY_DEFAULT_FREE, .dsize = plan_epoch_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE plan_epoch_allocate(VALUE class) {
    uint64_t *epoch;
    return TypedData_Make_Struct(class, uint64_t, &plan_epoch_type, epoch);
}

VALUE plan_epoch_create(void) { return plan_epoch_allocate(cPlanEpoch); }

uint64_t *plan_epoch_checked(VALUE object) { return rb_check_typeddata(object, &plan_epoch_type); }

/* call-seq: number -> Integer
 *
 * How many epochs have ended. */
static VALUE plan_epoch_number(VALUE self) { return ULL2NUM(*plan_epoch_checked(self)); }

/* call-seq: finish -> epoch
 *
 * What was prepared so far is old from now on. */
static VALUE plan_epoch_finish(VALUE self) {
    uint64_t *epoch = plan_epoch_checked(self);
    plan_epoch_end(epoch, *epoch);
    return self;
}

void Init_trunkline_plan_epoch(void) {
    cPlanEpoch = rb_define_class_under(mTrunklinePostgres, "PlanEpoch", rb_cObject);
    rb_define_alloc_func(cPlanEpoch, plan_epoch_allocate);
    rb_define_method(cPlanEpoch, "number", plan_epoch_number, 0);
    rb_define_method(cPlanEpoch, "finish", plan_epoch_finish, 0);
}
