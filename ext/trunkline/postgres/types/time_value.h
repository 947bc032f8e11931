/* A moment -> a Time of Ruby's. */
#ifndef TRUNKLINE_TIME_VALUE_H
#define TRUNKLINE_TIME_VALUE_H

#include <limits.h>
#include <ruby.h>

enum { ZONE_UTC = INT_MAX - 1, ZONE_LOCAL = INT_MAX }; /* what rb_time_timespec_new takes for an offset; any other is in seconds */

#define UNIX_2000 INT64_C(946684800) /* seconds from 1970 to 2000 */

/* Does time_t hold it? Of 32 bits it ends with 1901 and 2038. */
bool time_is_near(int64_t seconds);

/* Seconds from 1970 on, and the microseconds of the second. May run Ruby where the moment is not near. */
VALUE time_value(int64_t seconds, int64_t microseconds, int zone);

#endif
