/* PostgreSQL's intervals, text -> the three numbers they consist of. */
#ifndef TRUNKLINE_POSTGRES_INTERVAL_TEXT_H
#define TRUNKLINE_POSTGRES_INTERVAL_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t months, days;
    int64_t microseconds;
} interval_parts_t;

typedef enum { INTERVAL_OK, INTERVAL_INFINITY, INTERVAL_MINUS_INFINITY, INTERVAL_MALFORMED } interval_status_t;

/* IntervalStyle=postgres: "1 year 2 mons -3 days +04:05:06.789", "00:00:00", "infinity". */
interval_status_t interval_parse(const char *bytes, size_t length, interval_parts_t *parts);

#endif
