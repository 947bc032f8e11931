#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "civil_time.h"
#include "time_value.h"

static VALUE since_2000(int64_t microseconds, int zone) {
    int64_t seconds = microseconds / CIVIL_SECOND, rest = microseconds % CIVIL_SECOND;

    if (rest < 0) seconds--, rest += CIVIL_SECOND;
    return time_value(seconds + UNIX_2000, rest, zone);
}

static VALUE decode_binary(const char *bytes, size_t length, int zone, const char *type_name) {
    if (length != 8) raise_malformed(type_name);
    int64_t microseconds = (int64_t)read_u64(bytes);

    if (microseconds == INT64_MAX || microseconds == INT64_MIN) return infinity_value(microseconds < 0);
    return since_2000(microseconds, zone);
}

static VALUE decode_iso(const char *bytes, size_t length, int zone, const char *type_name) {
    int64_t microseconds;

    switch (civil_parse_timestamp(bytes, length, zone == ZONE_LOCAL, &microseconds)) {
    case CIVIL_OK: return since_2000(microseconds, zone);
    case CIVIL_INFINITY: return infinity_value(false);
    case CIVIL_MINUS_INFINITY: return infinity_value(true);
    default: raise_malformed(type_name);
    }
}

VALUE decode_timestamp_text(const char *bytes, size_t length) {
    return decode_iso(bytes, length, ZONE_UTC, "timestamp");
}

VALUE decode_timestamp_binary(const char *bytes, size_t length) {
    return decode_binary(bytes, length, ZONE_UTC, "timestamp");
}

VALUE decode_timestamptz_text(const char *bytes, size_t length) {
    return decode_iso(bytes, length, ZONE_LOCAL, "timestamptz");
}

VALUE decode_timestamptz_binary(const char *bytes, size_t length) {
    return decode_binary(bytes, length, ZONE_LOCAL, "timestamptz");
}
