#include "clock.h"

#include <ruby.h>
#include <stdbool.h>
#include <time.h>
#include "../../common/classes.h"

static double latest;
static bool stopped;

double clock_now(void) {
    struct timespec now;
    if (stopped) return latest;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return latest = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_latest(void) { return latest; }

/* call-seq: Clock.stop -> Clock
 *
 * For tests: stops the clock, so that no time passes but by #pass. */
static VALUE clock_stop(VALUE module) {
    clock_now();
    stopped = true;
    return module;
}

/* call-seq: Clock.pass(seconds) -> Clock
 *
 * Advances the stopped clock. */
static VALUE clock_pass(VALUE module, VALUE seconds) {
    if (!stopped) rb_raise(rb_eRuntimeError, "the clock goes by itself: stop it first");
    latest += NUM2DBL(seconds);
    return module;
}

/* call-seq: Clock.start -> Clock
 *
 * Lets the clock run again, at the real time. */
static VALUE clock_start(VALUE module) {
    stopped = false;
    return module;
}

/* call-seq: Clock.now -> Float
 *
 * Seconds. */
static VALUE clock_read(VALUE module) { return DBL2NUM(clock_now()); }

void Init_trunkline_clock(void) {
    VALUE module = rb_define_module_under(mTrunkline, "Clock");
    rb_define_singleton_method(module, "now", clock_read, 0);
    rb_define_singleton_method(module, "stop", clock_stop, 0);
    rb_define_singleton_method(module, "pass", clock_pass, 1);
    rb_define_singleton_method(module, "start", clock_start, 0);
}
