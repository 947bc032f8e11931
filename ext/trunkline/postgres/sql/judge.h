/* What the parts of the judge share: the last tokens of the SQL that is read, and what was found in it. */
#ifndef TRUNKLINE_JUDGE_H
#define TRUNKLINE_JUDGE_H

#include "scalar_alias.h"
#include "scanner.h"
#include "sql_lists.h"
#include "verdict.h"

#define REMEMBERED 8    /* tokens, for what a word means beside its neighbours; a power of two */
#define PENDING_CALLS 8 /* calls within each other whose arguments decide; deeper ones count as found */

/* Where a statement may be about to name a table that makes a difference. */
typedef enum { PLACE_NONE, PLACE_CREATE, PLACE_INTO, PLACE_INTO_TEMP, PLACE_TARGET, PLACE_TARGET_NAMED } place_t;

/* A call whose arguments decide whether it leaves something behind. */
typedef struct {
    function_kind_t kind;
    size_t at, length; /* of its name in the SQL */
    long depth;        /* of its arguments */
    unsigned commas;
    bool harmless;     /* its first argument names a setting that changes neither how SQL is read nor how values are written */
    bool spoiled;      /* has brackets, whose commas are not counted apart */
} pending_call_t;

typedef struct {
    scanner_t scanner;
    const char *sql;
    const session_carrier_t *carriers;
    size_t carrier_count;
    token_t tokens[REMEMBERED]; /* the last ones, in a ring */
    size_t read;                /* tokens so far */
    const statement_rule_t *rule;
    token_t first;    /* word of the statement */
    bool complete;    /* the rule knows the second word */
    place_t place;
    long depth;       /* of parentheses */
    bool ended;       /* by a semicolon */
    bool several;     /* there is more behind it */
    bool body;        /* in a function's, whose semicolons are its own */
    bool of_value;    /* what follows a dot here belongs to a value, not to a schema or table */
    bool explained;   /* is not carried out: EXPLAIN without ANALYZE */
    bool indexes;     /* is CREATE INDEX */
    bool relation;    /* the name that is being read, with its dots, is a table's */
    bool keeps_defaults; /* DEFAULT is stored, and not computed */
    long default_depth;  /* within such an expression; -1 outside */
    long check_depth;    /* within such a constraint of ALTER; -1 outside */
    bool check_waits;    /* its parentheses are closed, and NOT VALID may follow */
    bool validates;      /* constraints that need not be true yet, too */
    judgement_t before_check, in_check, unchecked; /* what was found before it, in it, and in those that are not computed */
    pending_call_t pending[PENDING_CALLS];
    size_t pending_count;
    scalar_aliases_t aliases; /* alias.name that may be calls */
    bool momentary;
    bool carries, for_good; /* as in judgement_t */
    bool writes;            /* rows, or does what is no query */
    judgement_t written;    /* the first name that counts where the statement writes; length 0: none */
    judgement_t found; /* the first thing that does not share, or VERDICT_SHAREABLE */
} judge_t;

/* Is it known by this name, and in this schema (NULL: none is named, so it may be any)? */
static inline bool carrier_is_named(const session_carrier_t *carrier, const token_t *name, const token_t *schema) {
    if (carrier->name_length != name->name_length || memcmp(carrier->name, name->name, name->name_length) != 0) return false;
    if (!schema || !carrier->schema) return true;
    return carrier->schema_length == schema->name_length && memcmp(carrier->schema, schema->name, schema->name_length) == 0;
}

/* The token so many before the last one; none is there: one of kind TOKEN_END. */
static inline const token_t *judge_back(const judge_t *judge, size_t steps) {
    static const token_t none = {.kind = TOKEN_END};
    return steps < judge->read && steps < REMEMBERED ? &judge->tokens[(judge->read - 1 - steps) % REMEMBERED] : &none;
}

/* Is it a word, or an identifier in quotes? */
static inline bool token_is_name(const token_t *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }

/* Is the token this name, whether in quotes or not? */
static inline bool token_is_named(const token_t *token, const char *name) {
    return token_is_name(token) && strlen(name) == token->name_length && memcmp(token->name, name, token->name_length) == 0;
}

/* Is it one of these keywords? NULL ends them. */
static inline bool token_is_any(const token_t *token, const char *const *words) {
    for (; *words; words++) {
        if (token_is(token, *words)) return true;
    }
    return false;
}

/* Is it this one character, in no quotes? */
static inline bool token_is_sign(const token_t *token, char sign) {
    return token->kind == TOKEN_OTHER && token->length == 1 && *token->start == sign;
}

/* The statement has a reason for this verdict, in so many bytes from `at` on, unless one beyond VERDICT_ALONE was found before. */
static inline void judge_find_at(judge_t *judge, verdict_t verdict, size_t at, size_t length) {
    if (judge->found.verdict > VERDICT_ALONE) return;
    judge->found = (judgement_t){.verdict = verdict, .at = at, .length = length};
}

/* A carrier was found, whatever else was. */
static inline void judge_note(judge_t *judge, const session_carrier_t *carrier) {
    judge->carries = true;
    judge->for_good |= carrier->for_good;
}

/* Likewise, in this token. */
static inline void judge_find(judge_t *judge, verdict_t verdict, const token_t *token) {
    judge_find_at(judge, verdict, (size_t)(token->start - judge->sql), token->length);
}

#endif
