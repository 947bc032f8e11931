/* PostgreSQL's ISO dates and times, text -> numbers. The calendar is the proleptic
 * Gregorian one; days and microseconds count from 2000-01-01, as on the wire. */
#ifndef TRUNKLINE_POSTGRES_CIVIL_TIME_H
#define TRUNKLINE_POSTGRES_CIVIL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CIVIL_SECOND INT64_C(1000000)
#define CIVIL_DAY (INT64_C(86400) * CIVIL_SECOND)

typedef enum { CIVIL_OK, CIVIL_INFINITY, CIVIL_MINUS_INFINITY, CIVIL_MALFORMED } civil_status_t;

/* Days of a date whose year 0 is 1 BC. The month and day must be valid. */
int64_t civil_days(int64_t year, int month, int day);

/* "2024-02-29", "0044-03-15 BC", "infinity". */
civil_status_t civil_parse_date(const char *bytes, size_t length, int64_t *days);

/* "2024-02-29 12:34:56.789 BC"; with a zone "+05:30:15" before the BC the result is UTC. */
civil_status_t civil_parse_timestamp(const char *bytes, size_t length, bool zone, int64_t *microseconds);

/* "24:00:00", with a zone "12:34:56+05:30"; the offset is in seconds east of UTC. */
civil_status_t civil_parse_time(const char *bytes, size_t length, int64_t *microseconds);
civil_status_t civil_parse_time_zone(const char *bytes, size_t length, int64_t *microseconds, int32_t *offset);

#endif
