/* What verdicts are based on: PostgreSQL's statements, and its functions with effects on the session. */
#ifndef TRUNKLINE_SQL_LISTS_H
#define TRUNKLINE_SQL_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include "verdict.h"

typedef enum {
    STATEMENT_ORDINARY,
    STATEMENT_QUERY,   /* may stand in parentheses */
    STATEMENT_DEFINES, /* names functions without calling them */
} statement_kind_t;

typedef struct {
    const char *first, *second; /* the words it begins with; second NULL: whatever comes */
    verdict_t verdict;
    statement_kind_t kind;
    const char *alone; /* the word that makes it VERDICT_ALONE, or NULL */
} statement_rule_t;

/* The rule for a statement of these words; NULL where the first begins none. */
const statement_rule_t *statement_rule(const char *first, size_t first_length, const char *second, size_t second_length);

/* Does this function, of the server or of an extension, leave state in the session or rely on some? */
bool is_session_function(const char *name, size_t length);

/* Can this word follow the name of a table in a query's INTO? */
bool follows_into(const char *word, size_t length);

#endif
