/* Compares the number of a command's rows with the number in its tag, to detect a missing or repeated DataRow. Nothing here runs Ruby but what
 * raises. */
#ifndef TRUNKLINE_ROW_COUNT_H
#define TRUNKLINE_ROW_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one command; initialised with zeroes. */
typedef struct {
    uint64_t rows;    /* DataRows that have come */
    uint64_t earlier; /* of a portal: rows that earlier requests have fetched */
    bool several;     /* of a script: it has several RowDescriptions, as rules of a table have added queries to it */
} row_count_t;

/* For the Execute that fetches the next rows of the same portal. */
static inline row_count_t row_count_continued(const row_count_t *count) { return (row_count_t){.earlier = count->earlier + count->rows}; }

/* Called for the end of a command of the extended protocol that returns rows, with `tag_rows` in its tag, or -1 without a number. Raises ProtocolError
 * where another number of rows has come. The tag of a portal's last part counts that part; before PostgreSQL 13, with RETURNING, all parts. */
void row_count_check(const row_count_t *count, long long tag_rows);

/* Called for the end of a command of a script, with this tag and `tag_rows` in it; `described`: it had a RowDescription. Raises ProtocolError where
 * another number of rows has come. For commands that change rows the numbers are not compared: the tag counts changed rows, and those that came may
 * be of queries that rules have added. */
void row_count_check_script(const row_count_t *count, bool described, const char *tag, size_t length, long long tag_rows);

#endif
