#include "plan_epoch.h"

#include <math.h>
#include "../../trunk/runtime/clock.h"
#include "../../common/classes.h"

static VALUE cPlanEpoch;

static size_t plan_epoch_memsize(const void *data) { return sizeof(plan_epoch_t); }

static const rb_data_type_t plan_epoch_type = {
    .wrap_struct_name = "Trunkline::Postgres::PlanEpoch",
    .function = {.dfree = RUBY_DEFAULT_FREE, .dsize = plan_epoch_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE plan_epoch_allocate(VALUE class) {
    plan_epoch_t *epoch;
    VALUE self = TypedData_Make_Struct(class, plan_epoch_t, &plan_epoch_type, epoch);
    epoch->longest = epoch->ends = INFINITY;
    return self;
}

static VALUE plan_epoch_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(plan_epoch_allocate(class), argc, argv); }

VALUE plan_epoch_create(void) { return plan_epoch_allocate(cPlanEpoch); }

plan_epoch_t *plan_epoch_checked(VALUE object) { return rb_check_typeddata(object, &plan_epoch_type); }

/* call-seq: PlanEpoch.new(longest = Float::INFINITY)
 *
 * longest: seconds that an epoch lasts at most. */
static VALUE plan_epoch_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE longest;
    rb_scan_args(argc, argv, "01", &longest);
    plan_epoch_t *epoch = plan_epoch_checked(self);
    epoch->longest = NIL_P(longest) ? INFINITY : NUM2DBL(longest);
    epoch->ends = clock_now() + epoch->longest;
    return self;
}

/* call-seq: number -> Integer
 *
 * The number of epochs that have ended. */
static VALUE plan_epoch_number(VALUE self) { return ULL2NUM(plan_epoch_checked(self)->number); }

/* call-seq: definitions -> Integer
 *
 * A number that changes when one of the client's sessions has defined, changed or dropped something, and when the epoch ends; ends an epoch whose
 * time is over. */
static VALUE plan_epoch_definitions(VALUE self) {
    plan_epoch_t *epoch = plan_epoch_checked(self);
    plan_epoch_check(epoch, clock_now());
    return ULL2NUM(epoch->number + epoch->defined);
}

/* call-seq: finish -> epoch
 *
 * Ends the epoch: statements that were prepared so far are outdated. */
static VALUE plan_epoch_finish(VALUE self) {
    plan_epoch_t *epoch = plan_epoch_checked(self);
    plan_epoch_end(epoch, epoch->number);
    return self;
}

void Init_trunkline_plan_epoch(void) {
    cPlanEpoch = rb_define_class_under(mTrunklinePostgres, "PlanEpoch", rb_cObject);
    trunkline_define_new(cPlanEpoch, plan_epoch_new);
    rb_define_method(cPlanEpoch, "initialize", plan_epoch_initialize, -1);
    rb_define_method(cPlanEpoch, "number", plan_epoch_number, 0);
    rb_define_method(cPlanEpoch, "definitions", plan_epoch_definitions, 0);
    rb_define_method(cPlanEpoch, "finish", plan_epoch_finish, 0);
}
