/* The state that the parts of the classifier share: the last tokens of the SQL, and what was found in it. */
#ifndef TRUNKLINE_CLASSIFIER_H
#define TRUNKLINE_CLASSIFIER_H

#include "classification.h"
#include "scalar_alias.h"
#include "scanner.h"
#include "sql_lists.h"

/* The number of last tokens that are kept, as a word's meaning depends on its neighbours: up to the fourth before it; a power of two. Of 644
 * statements of the tests and 3,969 that come with PostgreSQL 28 are classed otherwise with 2, none with 4 or 16. */
#define REMEMBERED 8
/* Nested calls whose arguments decide; deeper ones count as found. None of these statements has two nested ones. */
#define PENDING_CALLS 8

/* Positions at which a statement may name a table that matters for its class. */
typedef enum { CLAUSE_NONE, CLAUSE_CREATE, CLAUSE_INTO, CLAUSE_INTO_TEMP, CLAUSE_TARGET, CLAUSE_TARGET_NAMED } table_clause_t;

/* A call whose arguments decide whether it leaves state behind. */
typedef struct {
    function_kind_t kind;
    size_t at, length; /* of its name in the SQL */
    long depth;        /* of its arguments */
    unsigned commas;
    bool harmless;     /* its first argument names a setting that affects neither how SQL is parsed nor how values are written */
    bool spoiled;      /* has brackets, whose commas are not distinguished */
} pending_call_t;

typedef struct {
    scanner_t scanner;
    const char *sql;
    const state_keeper_t *keepers;
    size_t keeper_count;
    token_t tokens[REMEMBERED]; /* the last ones, a ring buffer */
    size_t read;                /* tokens so far */
    const statement_rule_t *rule;
    token_t first;    /* first word of the statement */
    bool complete;    /* the rule was chosen by both words */
    table_clause_t clause;
    long depth;       /* of parentheses */
    bool ended;       /* by a semicolon */
    bool several;     /* there is another statement behind it */
    bool body;        /* within the body of a function, which has its own semicolons */
    bool of_value;    /* what follows a dot here belongs to a value, not to a schema or table */
    bool explained;   /* is not executed: EXPLAIN without ANALYZE */
    bool indexes;     /* is CREATE INDEX */
    bool relation;    /* the present name, with its dots, is a table's */
    bool keeps_defaults; /* DEFAULT is stored, not evaluated */
    long default_depth;  /* depth of such an expression; -1 outside */
    long check_depth;    /* depth of a CHECK constraint of ALTER; -1 outside */
    bool check_waits;    /* its parentheses are closed, and NOT VALID may follow */
    bool validates;      /* the statement validates constraints that were added as NOT VALID */
    classification_t before_check, in_check, unchecked; /* what was found before it, in it, and in constraints that are not evaluated */
    pending_call_t pending[PENDING_CALLS];
    size_t pending_count;
    scalar_aliases_t aliases; /* alias.name that may be calls */
    bool time_dependent;
    bool keeps_state, for_good; /* as in classification_t */
    bool writes;            /* writes rows, or is no query */
    classification_t written;    /* the first name that counts if the statement writes; length 0: none */
    classification_t found; /* the first reason against sharing, or CLASS_SHAREABLE */
} classifier_t;

/* Whether the keeper has this name, and this schema (NULL: the SQL names none, so it may be any). */
static inline bool keeper_is_named(const state_keeper_t *keeper, const token_t *name, const token_t *schema) {
    if (keeper->name_length != name->name_length || memcmp(keeper->name, name->name, name->name_length) != 0) return false;
    if (!schema || !keeper->schema) return true;
    return keeper->schema_length == schema->name_length && memcmp(keeper->schema, schema->name, schema->name_length) == 0;
}

/* The token so many before the last one; if there is none, one of kind TOKEN_END. */
static inline const token_t *classifier_back(const classifier_t *classifier, size_t steps) {
    static const token_t none = {.kind = TOKEN_END};
    return steps < classifier->read && steps < REMEMBERED ? &classifier->tokens[(classifier->read - 1 - steps) % REMEMBERED] : &none;
}

/* Whether it is a word, or a quoted identifier. */
static inline bool token_is_name(const token_t *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }

/* Whether the token is this name, quoted or not. */
static inline bool token_is_named(const token_t *token, const char *name) {
    return token_is_name(token) && strlen(name) == token->name_length && memcmp(token->name, name, token->name_length) == 0;
}

/* Whether it is one of these keywords; NULL ends the list. */
static inline bool token_is_any(const token_t *token, const char *const *words) {
    for (; *words; words++) {
        if (token_is(token, *words)) return true;
    }
    return false;
}

/* Whether it is this one character, not quoted. */
static inline bool token_is_sign(const token_t *token, char sign) {
    return token->kind == TOKEN_OTHER && token->length == 1 && *token->start == sign;
}

/* Records a reason for this class, the bytes from `at` on, unless one beyond CLASS_ALONE was found before. */
static inline void classifier_find_at(classifier_t *classifier, statement_class_t class, size_t at, size_t length) {
    if (classifier->found.class > CLASS_ALONE) return;
    classifier->found = (classification_t){.class = class, .at = at, .length = length};
}

/* Records that a keeper was found. */
static inline void classifier_note(classifier_t *classifier, const state_keeper_t *keeper) {
    classifier->keeps_state = true;
    classifier->for_good |= keeper->for_good;
}

/* As classifier_find_at, for this token. */
static inline void classifier_find(classifier_t *classifier, statement_class_t class, const token_t *token) {
    classifier_find_at(classifier, class, (size_t)(token->start - classifier->sql), token->length);
}

#endif
