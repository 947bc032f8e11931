#include "decode_interval.h"
#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "../../common/plain_object.h"
#include "interval_text.h"

static VALUE cInterval;
static plain_layout_t layout;

static VALUE interval_value(const interval_parts_t *parts) {
    VALUE values[] = {INT2NUM(parts->months), INT2NUM(parts->days), LL2NUM(parts->microseconds)};

    return rb_obj_freeze(plain_object(cInterval, &layout, values));
}

VALUE decode_interval_text(const char *bytes, size_t length) {
    interval_parts_t parts;

    switch (interval_parse(bytes, length, &parts)) {
    case INTERVAL_OK: return interval_value(&parts);
    case INTERVAL_INFINITY: return infinity_value(false);
    case INTERVAL_MINUS_INFINITY: return infinity_value(true);
    default: raise_malformed("interval");
    }
}

/* Infinite intervals, which newer servers have, are extreme in all three parts. */
static bool is_infinite(const interval_parts_t *parts, bool negative) {
    if (negative) return parts->microseconds == INT64_MIN && parts->days == INT32_MIN && parts->months == INT32_MIN;
    return parts->microseconds == INT64_MAX && parts->days == INT32_MAX && parts->months == INT32_MAX;
}

VALUE decode_interval_binary(const char *bytes, size_t length) {
    if (length != 16) raise_malformed("interval");
    interval_parts_t parts = {
        .microseconds = (int64_t)read_u64(bytes),
        .days = (int32_t)read_u32(bytes + 8),
        .months = (int32_t)read_u32(bytes + 12),
    };
    bool negative = parts.microseconds < 0;

    return is_infinite(&parts, negative) ? infinity_value(negative) : interval_value(&parts);
}

void Init_trunkline_decode_interval(void) {
    rb_require("trunkline/interval");
    cInterval = rb_path2class("Trunkline::Interval");
    rb_gc_register_mark_object(cInterval);
    layout = plain_layout(cInterval, 3);
}
