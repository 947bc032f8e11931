#include "decode_date.h"
#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "civil_time.h"

static VALUE cDate, gregorian;
static ID id_jd;

/* Julian day numbers of 2000-01-01, and of the calendar's reform, before which Date uses the Julian calendar unless it is told GREGORIAN. */
enum { JD_2000 = 2451545, JD_REFORM = 2299161 };

static VALUE date_value(int64_t days) {
    int64_t jd = days + JD_2000;

    if (jd >= JD_REFORM) return rb_funcall(cDate, id_jd, 1, LL2NUM(jd));
    return rb_funcall(cDate, id_jd, 2, LL2NUM(jd), gregorian);
}

VALUE decode_date_text(const char *bytes, size_t length) {
    int64_t days;

    switch (civil_parse_date(bytes, length, &days)) {
    case CIVIL_OK: return date_value(days);
    case CIVIL_INFINITY: return infinity_value(false);
    case CIVIL_MINUS_INFINITY: return infinity_value(true);
    default: raise_malformed("date");
    }
}

VALUE decode_date_binary(const char *bytes, size_t length) {
    if (length != 4) raise_malformed("date");
    int32_t days = (int32_t)read_u32(bytes);

    if (days == INT32_MAX || days == INT32_MIN) return infinity_value(days < 0);
    return date_value(days);
}

void Init_trunkline_decode_date(void) {
    rb_require("date");
    cDate = rb_const_get(rb_cObject, rb_intern("Date"));
    rb_gc_register_mark_object(cDate);
    gregorian = rb_const_get(cDate, rb_intern("GREGORIAN"));
    rb_gc_register_mark_object(gregorian);
    id_jd = rb_intern("jd");
}
