/* What classes are based on: PostgreSQL's statements, and its functions with effects on the session. */
#ifndef TRUNKLINE_SQL_LISTS_H
#define TRUNKLINE_SQL_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include "classification.h"

typedef enum {
    STATEMENT_ORDINARY,
    STATEMENT_QUERY,   /* may stand in parentheses */
    STATEMENT_DEFINES, /* names functions without calling them */
} statement_kind_t;

typedef struct {
    const char *first, *second; /* the words it begins with; second NULL: whatever comes */
    statement_class_t class;
    statement_kind_t kind;
    const char *alone; /* the word that makes it CLASS_ALONE, or NULL */
} statement_rule_t;

/* The rule for a statement of these words; NULL where the first begins none. */
const statement_rule_t *statement_rule(const char *first, size_t first_length, const char *second, size_t second_length);

/* How calls of a function are to be looked at. */
typedef enum {
    FUNCTION_ORDINARY,     /* leaves nothing in the session, and relies on nothing there */
    FUNCTION_KEEPS,        /* leaves state in the session, or relies on some, however it is called */
    FUNCTION_KEEPS_OF_ONE, /* the same, and one argument is enough: value.name calls it too */
    FUNCTION_SETS,         /* set_config, whose third argument may say that the setting ends with the transaction */
    FUNCTION_REWRITES,     /* ts_rewrite, which with three arguments runs no SQL */
} function_kind_t;

/* Of the server or of an extension; schema NULL: none is named. */
function_kind_t function_kind(const char *name, size_t length, const char *schema, size_t schema_length);

/* Names of those above, one after another; NULL behind the last one. The second: what such names begin with; the third: schemas with such
 * functions. */
const char *listed_function(size_t at);
const char *listed_function_prefix(size_t at);
const char *listed_function_schema(size_t at);

/* Is it certain that EXPLAIN without ANALYZE does not call this function? The planner calls what is not volatile, and so are some that keep
 * state: isn_weak. */
bool is_never_planned(const char *name, size_t length);

/* Does a setting of this name change neither how SQL is read nor how values are written? False where it is not known. */
bool is_harmless_setting(const char *name, size_t length);

/* Is this word, without parentheses, a call that FROM takes, as in FROM current_user? */
bool is_value_word(const char *word, size_t length);

/* Can this word follow the name of a table in a query's INTO? */
bool follows_into(const char *word, size_t length);

#endif
