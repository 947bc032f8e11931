/* The lists that classes are based on: PostgreSQL's statements, and its functions with effects on the session. */
#ifndef TRUNKLINE_SQL_LISTS_H
#define TRUNKLINE_SQL_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include "classification.h"

typedef enum {
    STATEMENT_ORDINARY,
    STATEMENT_QUERY,   /* may stand in parentheses */
    STATEMENT_DEFINES, /* refers to functions without calling them */
} statement_kind_t;

typedef struct {
    const char *first, *second; /* the statement's first words; second NULL: any */
    statement_class_t class;
    statement_kind_t kind;
    const char *alone; /* a word that makes it CLASS_ALONE, or NULL */
} statement_rule_t;

/* The rule for a statement with these words; NULL: no statement begins with the first. */
const statement_rule_t *statement_rule(const char *first, size_t first_length, const char *second, size_t second_length);

/* How calls of a function count. */
typedef enum {
    FUNCTION_ORDINARY,     /* leaves nothing in the session, and relies on nothing there */
    FUNCTION_KEEPS,        /* leaves state in the session, or relies on it, however it is called */
    FUNCTION_KEEPS_OF_ONE, /* the same, and one argument is enough: value.name calls it too */
    FUNCTION_SETS,         /* set_config, whose third argument may limit the setting to the transaction */
    FUNCTION_REWRITES,     /* ts_rewrite, which with three arguments runs no SQL */
} function_kind_t;

/* The kind of a function of the server or of an extension; schema NULL: the SQL names none. */
function_kind_t function_kind(const char *name, size_t length, const char *schema, size_t schema_length);

/* The names in these lists by index; NULL behind the last one. The second: prefixes of names; the third: schemas with such functions. */
const char *listed_function(size_t at);
const char *listed_function_prefix(size_t at);
const char *listed_function_schema(size_t at);

/* Whether EXPLAIN without ANALYZE certainly does not call this function. The planner calls functions that are not volatile, and some of these keep
 * state: isn_weak. */
bool is_never_planned(const char *name, size_t length);

/* Whether the setting affects neither how SQL is parsed nor how values are written. False for unknown ones. */
bool is_harmless_setting(const char *name, size_t length);

/* Whether this word, without parentheses, is a call that may be in FROM, as in FROM current_user. */
bool is_value_word(const char *word, size_t length);

/* Whether this word can follow the name of a table in a query's INTO. */
bool follows_into(const char *word, size_t length);

#endif
