/* Statements that the server fails if their result has other columns than described. */
#ifndef TRUNKLINE_CHECKED_RESULT_H
#define TRUNKLINE_CHECKED_RESULT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the statement has a plan. For these the server compares the result with the described one at each Bind ("cached plan must not change result
 * type"). For all others (FETCH, EXECUTE, CALL, SHOW, EXPLAIN, ...) it does not. */
bool has_checked_result(const char *sql, size_t length);

#endif
