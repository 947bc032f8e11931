#include "decode_time.h"
#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "../../common/plain_object.h"
#include "civil_time.h"

static VALUE cTimeOfDay;
static plain_layout_t layout;

static VALUE time_of_day(int64_t microseconds, VALUE utc_offset) {
    VALUE values[] = {LL2NUM(microseconds), utc_offset};

    return rb_obj_freeze(plain_object(cTimeOfDay, &layout, values));
}

static int64_t binary_microseconds(const char *bytes, const char *type_name) {
    int64_t microseconds = (int64_t)read_u64(bytes);

    if (microseconds < 0 || microseconds > CIVIL_DAY) raise_malformed(type_name);
    return microseconds;
}

VALUE decode_time_text(const char *bytes, size_t length) {
    int64_t microseconds;

    if (civil_parse_time(bytes, length, &microseconds) != CIVIL_OK) raise_malformed("time");
    return time_of_day(microseconds, Qnil);
}

VALUE decode_time_binary(const char *bytes, size_t length) {
    if (length != 8) raise_malformed("time");
    return time_of_day(binary_microseconds(bytes, "time"), Qnil);
}

VALUE decode_timetz_text(const char *bytes, size_t length) {
    int64_t microseconds;
    int32_t offset;

    if (civil_parse_time_zone(bytes, length, &microseconds, &offset) != CIVIL_OK) raise_malformed("timetz");
    return time_of_day(microseconds, INT2NUM(offset));
}

/* The wire counts offsets westwards; whole days are beyond what the server allows. */
VALUE decode_timetz_binary(const char *bytes, size_t length) {
    if (length != 12) raise_malformed("timetz");
    int32_t west = (int32_t)read_u32(bytes + 8);

    if (west <= -86400 || west >= 86400) raise_malformed("timetz");
    return time_of_day(binary_microseconds(bytes, "timetz"), INT2NUM(-west));
}

void Init_trunkline_decode_time(void) {
    rb_require("trunkline/time_of_day");
    cTimeOfDay = rb_path2class("Trunkline::TimeOfDay");
    rb_gc_register_mark_object(cTimeOfDay);
    layout = plain_layout(cTimeOfDay, 2);
}
