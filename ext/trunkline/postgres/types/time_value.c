#include "time_value.h"

#include <time.h>
#include "civil_time.h"

bool time_is_near(int64_t seconds) { return (time_t)seconds == seconds; }

static VALUE far_time(int64_t seconds, int64_t microseconds, int zone) {
    VALUE fraction = rb_rational_new(LL2NUM(microseconds), LL2NUM(CIVIL_SECOND));
    VALUE time = rb_time_num_new(rb_funcall(fraction, '+', 1, LL2NUM(seconds)), zone >= ZONE_UTC ? Qnil : INT2FIX(zone));
    return zone == ZONE_UTC ? rb_funcall(time, rb_intern("utc"), 0) : time;
}

VALUE time_value(int64_t seconds, int64_t microseconds, int zone) {
    if (!time_is_near(seconds)) return far_time(seconds, microseconds, zone);
    struct timespec spec = {.tv_sec = (time_t)seconds, .tv_nsec = (long)microseconds * 1000};
    return rb_time_timespec_new(&spec, zone);
}
