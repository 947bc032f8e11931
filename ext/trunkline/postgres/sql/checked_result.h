/* Which statements the server itself keeps from returning other columns than they were described with. */
#ifndef TRUNKLINE_CHECKED_RESULT_H
#define TRUNKLINE_CHECKED_RESULT_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a statement that has a plan? Of these, the server compares the result with the one described, at each Bind ("cached plan must
 * not change result type"). Of all others (FETCH, EXECUTE, CALL, SHOW, EXPLAIN, ...) it does not. */
bool has_checked_result(const char *sql, size_t length);

#endif
