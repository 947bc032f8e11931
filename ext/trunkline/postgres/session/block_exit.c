#include "block_exit.h"

/* Trunkline::Postgres::BlockExit: how a block was left. Ruby's `ensure` cannot tell a `break` or a `return` from a `throw`
 * or a killed thread; rb_protect can, by the tag that unwinds the stack. */
#include <stdbool.h>
#include "../../common/classes.h"

/* Tags of return and break, which no header of Ruby publishes: the block's own author has ended it. With all other tags (an exception, a throw, the
 * end of a thread or a fiber) something else has. */
#define TAG_RETURN 1
#define TAG_BREAK 2

typedef struct {
    bool completed;
} block_exit_t;

static const rb_data_type_t block_exit_type = {
    .wrap_struct_name = "Trunkline::Postgres::BlockExit",
    .function = {.dfree = RUBY_DEFAULT_FREE},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE block_exit_allocate(VALUE class) {
    block_exit_t *left;
    return TypedData_Make_Struct(class, block_exit_t, &block_exit_type, left);
}

static block_exit_t *block_exit_of(VALUE self) { return rb_check_typeddata(self, &block_exit_type); }

/* call-seq: run { ... } -> what the block returned
 *
 * Runs the block, and stores how it was left. */
static VALUE block_exit_run(VALUE self) {
    int tag;
    VALUE result = rb_protect(rb_yield, self, &tag);
    block_exit_of(self)->completed = tag == 0 || tag == TAG_RETURN || tag == TAG_BREAK;
    if (tag) rb_jump_tag(tag);
    return result;
}

/* call-seq: completed? -> true or false
 *
 * Whether the block has run, and has ended normally or by next, break or return. */
static VALUE block_exit_is_completed(VALUE self) { return RBOOL(block_exit_of(self)->completed); }

void Init_trunkline_block_exit(void) {
    VALUE class = rb_define_class_under(mTrunklinePostgres, "BlockExit", rb_cObject);
    rb_define_alloc_func(class, block_exit_allocate);
    rb_define_method(class, "run", block_exit_run, 0);
    rb_define_method(class, "completed?", block_exit_is_completed, 0);
}
