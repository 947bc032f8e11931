/* Seconds and microseconds -> a Time in Ruby. */
#ifndef TRUNKLINE_TIME_VALUE_H
#define TRUNKLINE_TIME_VALUE_H

#include <limits.h>
#include <ruby.h>

enum { ZONE_UTC = INT_MAX - 1, ZONE_LOCAL = INT_MAX }; /* values for the offset of rb_time_timespec_new; any other is in seconds */

#define UNIX_2000 INT64_C(946684800) /* seconds from 1970 to 2000 */

/* Whether time_t can hold it. With 32 bits it covers 1901 to 2038. */
bool time_is_near(int64_t seconds);

/* A Time from seconds since 1970 and microseconds. May run Ruby if time_t cannot hold the seconds. */
VALUE time_value(int64_t seconds, int64_t microseconds, int zone);

#endif
