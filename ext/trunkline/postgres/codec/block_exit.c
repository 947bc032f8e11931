#include "block_exit.h"

/* Trunkline::Postgres::BlockExit: how a block was left. Ruby's `ensure` cannot tell a `break` or a `return` from a `throw`
 * or a killed thread; rb_protect can, by the tag that unwinds the stack. */
#include "../../common/classes.h"

/* What no header of Ruby publishes: the tags of a block that comes to an end by a jump of its own author's. All others
 * (an exception, a throw, the end of a thread or a fiber) come from elsewhere. */
#define TAG_RETURN 1
#define TAG_BREAK 2

static ID id_completed;

/* call-seq: run { ... } -> what the block returned
 *
 * Runs the block, and notes how it was left. */
static VALUE block_exit_run(VALUE self) {
    int tag;
    VALUE result = rb_protect(rb_yield, self, &tag);
    rb_ivar_set(self, id_completed, RBOOL(tag == 0 || tag == TAG_RETURN || tag == TAG_BREAK));
    if (tag) rb_jump_tag(tag);
    return result;
}

/* call-seq: completed? -> true or false
 *
 * Did the block run, and come to its normal end, or one by next, break or return? */
static VALUE block_exit_is_completed(VALUE self) { return rb_attr_get(self, id_completed); }

void Init_trunkline_block_exit(void) {
    id_completed = rb_intern("@completed");
    VALUE class = rb_define_class_under(mTrunklinePostgres, "BlockExit", rb_cObject);
    rb_define_method(class, "run", block_exit_run, 0);
    rb_define_method(class, "completed?", block_exit_is_completed, 0);
}
