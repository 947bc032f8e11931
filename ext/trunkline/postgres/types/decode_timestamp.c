#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "civil_time.h"

#include <limits.h>
#include <time.h>

/* What rb_time_timespec_new takes for an offset: UTC, or the process's own zone. */
enum { UTC = INT_MAX - 1, LOCAL = INT_MAX };

static const int64_t unix_2000 = 946684800; /* seconds from 1970 to 2000 */

static VALUE time_value(int64_t microseconds, int zone) {
    int64_t seconds = microseconds / CIVIL_SECOND, rest = microseconds % CIVIL_SECOND;

    if (rest < 0) seconds--, rest += CIVIL_SECOND;
    struct timespec spec = {.tv_sec = (time_t)(seconds + unix_2000), .tv_nsec = (long)rest * 1000};
    return rb_time_timespec_new(&spec, zone);
}

static VALUE decode_binary(const char *bytes, size_t length, int zone, const char *type_name) {
    if (length != 8) raise_malformed(type_name);
    int64_t microseconds = (int64_t)read_u64(bytes);

    if (microseconds == INT64_MAX || microseconds == INT64_MIN) return infinity_value(microseconds < 0);
    return time_value(microseconds, zone);
}

static VALUE decode_iso(const char *bytes, size_t length, int zone, const char *type_name) {
    int64_t microseconds;

    switch (civil_parse_timestamp(bytes, length, zone == LOCAL, &microseconds)) {
    case CIVIL_OK: return time_value(microseconds, zone);
    case CIVIL_INFINITY: return infinity_value(false);
    case CIVIL_MINUS_INFINITY: return infinity_value(true);
    default: raise_malformed(type_name);
    }
}

VALUE decode_timestamp_text(const char *bytes, size_t length) {
    return decode_iso(bytes, length, UTC, "timestamp");
}

VALUE decode_timestamp_binary(const char *bytes, size_t length) {
    return decode_binary(bytes, length, UTC, "timestamp");
}

VALUE decode_timestamptz_text(const char *bytes, size_t length) {
    return decode_iso(bytes, length, LOCAL, "timestamptz");
}

VALUE decode_timestamptz_binary(const char *bytes, size_t length) {
    return decode_binary(bytes, length, LOCAL, "timestamptz");
}
