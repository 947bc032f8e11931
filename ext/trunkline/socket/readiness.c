#include "readiness.h"

#include <ruby.h>
#include <ruby/io.h>

#include "../common/classes.h"

/* Runs Ruby: a scheduler's io_wait, and other fibers and threads meanwhile. Whatever a scheduler returns but false and nil counts as ready.
 * IO#wait_readable and IO#wait take it for a mask, and raise TypeError under schedulers that return true (evt) or themselves (libev_scheduler). */
static VALUE wait_once(VALUE self, VALUE io, VALUE events, VALUE seconds) {
    (void)self;
    rb_io_check_closed(RFILE(rb_io_taint_check(io))->fptr);
    return RBOOL(RTEST(rb_io_wait(io, events, seconds)));
}

void Init_trunkline_readiness(void) {
    VALUE socket = rb_define_module_under(mTrunkline, "Socket");
    rb_define_singleton_method(rb_define_module_under(socket, "Readiness"), "wait_once", wait_once, 3);
}
