/* The rows that a command's answer has, compared with the number in its tag: a DataRow that is left out of the stream, or comes twice, is
 * seen. Nothing here runs Ruby but what raises. */
#ifndef TRUNKLINE_ROW_COUNT_H
#define TRUNKLINE_ROW_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one command; begin with zeroes. */
typedef struct {
    uint64_t rows;    /* DataRows that have come */
    uint64_t earlier; /* of a portal: those that earlier requests have fetched */
    bool several;     /* of a script: it has had several RowDescriptions, as rules of a table added queries to it */
} row_count_t;

/* Of the Execute that fetches the next rows of the same portal. */
static inline row_count_t row_count_goes_on(const row_count_t *count) { return (row_count_t){.earlier = count->earlier + count->rows}; }

/* A command of the extended protocol that returns rows has ended, with `told` in its tag, or -1 without a number. Raises ProtocolError
 * where other rows have come. A portal's last part counts itself; before PostgreSQL 13, RETURNING counts all parts. */
void row_count_check(const row_count_t *count, long long told);

/* A command of a script has ended, with that tag and `told` in it; `described`: it had a RowDescription. Raises ProtocolError where other
 * rows have come. The rows of what changes rows are not compared: the tag counts changed rows, and those that came may be of queries that
 * rules have added. */
void row_count_check_script(const row_count_t *count, bool described, const char *tag, size_t length, long long told);

#endif
