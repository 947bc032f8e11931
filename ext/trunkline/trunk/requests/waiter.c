#include "waiter.h"

/* Trunkline::Waiter: a fiber or thread that sleeps for something else than an answer, by the same rules: see request.h. */
#include "request.h"
#include "../../common/classes.h"

static void waiter_free(void *data) {
    request_unlink(data);
    ruby_xfree(data);
}

static size_t waiter_memsize(const void *data) { return sizeof(request_t); }

static const rb_data_type_t waiter_type = {
    .wrap_struct_name = "Trunkline::Waiter",
    .function = {.dmark = request_mark, .dfree = waiter_free, .dsize = waiter_memsize},
    .parent = &request_type,
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* call-seq: Waiter.new -> Waiter
 *
 * The waiter is the calling fiber or thread, and running. */
static VALUE waiter_allocate(VALUE class) {
    request_t *request;
    VALUE self = TypedData_Make_Struct(class, request_t, &waiter_type, request);
    request_initialize(request, self);
    return self;
}

void Init_trunkline_waiter(void) {
    rb_define_alloc_func(rb_define_class_under(mTrunkline, "Waiter", cTrunklineRequest), waiter_allocate);
}
