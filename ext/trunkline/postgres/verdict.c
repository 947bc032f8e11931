#include "verdict.h"

#include "scanner.h"
#include "sql_lists.h"

#define REMEMBERED 4 /* tokens, for what a word means beside its neighbours */

/* Where a statement may be about to name a table that makes a difference. */
typedef enum { PLACE_NONE, PLACE_CREATE, PLACE_INTO, PLACE_INTO_TEMP, PLACE_TARGET, PLACE_TARGET_NAMED } place_t;

typedef struct {
    scanner_t scanner;
    const char *sql;
    const session_function_t *functions;
    size_t function_count;
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
    judgement_t found; /* the first thing that does not share, or VERDICT_SHAREABLE */
} judge_t;

/* The token so many before the last one. */
static const token_t *back(const judge_t *judge, size_t steps) { return &judge->tokens[(judge->read - 1 - steps) % REMEMBERED]; }

static bool is_name(const token_t *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }

/* Is the token this name, whether in quotes or not? */
static bool is_named(const token_t *token, const char *name) {
    return is_name(token) && strlen(name) == token->name_length && memcmp(token->name, name, token->name_length) == 0;
}

static bool is_any(const token_t *token, const char *const *words) {
    for (; *words; words++) {
        if (token_is(token, *words)) return true;
    }
    return false;
}

static void find(judge_t *judge, verdict_t verdict, const token_t *token) {
    if (judge->found.verdict > VERDICT_ALONE) return;
    judge->found = (judgement_t){verdict, (size_t)(token->start - judge->sql), token->length};
}

/* False: it was the last one. */
static bool advance(judge_t *judge) {
    scanner_next(&judge->scanner, &judge->tokens[judge->read++ % REMEMBERED]);
    token_kind_t kind = back(judge, 0)->kind;
    judge->depth += kind == TOKEN_OPEN;
    judge->depth -= kind == TOKEN_CLOSE;
    return kind != TOKEN_END && kind != TOKEN_BROKEN;
}

/* Temporary objects lie in the schema pg_temp, or pg_temp_ and a number. */
static bool is_temporary_schema(const token_t *token) {
    static const char schema[] = "pg_temp";
    size_t length = strlen(schema);
    if (!is_name(token) || token->name_length < length || memcmp(token->name, schema, length) != 0) return false;
    return token->name_length == length || token->name[length] == '_';
}

static bool listed_by_user(const judge_t *judge, const token_t *name, const token_t *schema) {
    for (size_t at = 0; at < judge->function_count; at++) {
        const session_function_t *function = &judge->functions[at];
        bool matches = function->name_length == name->name_length && memcmp(function->name, name->name, name->name_length) == 0;
        if (matches && schema && function->schema) {
            matches = function->schema_length == schema->name_length && memcmp(function->schema, schema->name, schema->name_length) == 0;
        }
        if (matches) return true;
    }
    return false;
}

/* name(...), which the opening parenthesis shows. */
static bool is_call(const judge_t *judge, const token_t *name) {
    const token_t *schema = judge->read > 3 && back(judge, 2)->kind == TOKEN_DOT && is_name(back(judge, 3)) ? back(judge, 3) : NULL;
    return is_session_function(name->name, name->name_length) || listed_by_user(judge, name, schema);
}

/* (value).name calls a function too, and so does row.name one that takes the row. */
static bool is_attribute_call(const judge_t *judge, const token_t *name) {
    if (judge->read < 3 || back(judge, 2)->kind != TOKEN_DOT) return false;
    return (judge->of_value && is_session_function(name->name, name->name_length)) || listed_by_user(judge, name, NULL);
}

/* What a name is shows in what comes behind it. */
static void look_at_name_before(judge_t *judge) {
    const token_t *name = back(judge, 1);
    if (judge->read < 2 || !is_name(name)) return;
    bool called = back(judge, 0)->kind == TOKEN_OPEN ? is_call(judge, name) : is_attribute_call(judge, name);
    if (called) find(judge, VERDICT_SESSION, name);
}

/* A dot after what is no name belongs to a value, and so does what comes after that. */
static void follow_dots(judge_t *judge, const token_t *token) {
    bool after_dot = judge->read > 1 && back(judge, 1)->kind == TOKEN_DOT;
    if (token->kind == TOKEN_DOT) judge->of_value = judge->read > 1 && (judge->of_value || !is_name(back(judge, 1)));
    else if (!after_dot) judge->of_value = false;
}

/* CREATE TEMP ... */
static place_t after_create(judge_t *judge, const token_t *token) {
    static const char *const between[] = {"or", "replace", "local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (is_any(token, between)) return PLACE_CREATE;
    if (is_any(token, temporary)) find(judge, VERDICT_SESSION, token);
    return PLACE_NONE;
}

static place_t after_into(const token_t *token) {
    static const char *const between[] = {"local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (is_any(token, between)) return PLACE_INTO;
    return is_any(token, temporary) ? PLACE_INTO_TEMP : PLACE_NONE;
}

/* SELECT ... INTO TEMP name; a table may be called temp as well. */
static place_t after_into_temp(judge_t *judge, const token_t *token) {
    bool name = is_name(token) && !(token->kind == TOKEN_WORD && follows_into(token->name, token->name_length));
    if (name) find(judge, VERDICT_SESSION, back(judge, 1));
    return PLACE_NONE;
}

/* A rule of the view pg_settings turns updates into settings of the session. */
static place_t after_update(judge_t *judge, const token_t *token) {
    if (token->kind == TOKEN_OPEN || token_is(token, "only")) return PLACE_TARGET;
    if (is_named(token, "pg_settings")) find(judge, VERDICT_SESSION, token);
    return is_name(token) ? PLACE_TARGET_NAMED : PLACE_NONE;
}

static place_t new_place(const judge_t *judge, const token_t *token) {
    static const char *const into_a_table[] = {"insert", "merge", NULL};
    if (token_is(token, "create")) return PLACE_CREATE;
    if (token_is(token, "update")) return PLACE_TARGET;
    if (token_is(token, "into") && !(judge->read > 1 && is_any(back(judge, 1), into_a_table))) return PLACE_INTO;
    return PLACE_NONE;
}

static void follow_place(judge_t *judge, const token_t *token) {
    place_t place = PLACE_NONE;
    switch (judge->place) {
    case PLACE_NONE: break;
    case PLACE_CREATE: place = after_create(judge, token); break;
    case PLACE_INTO: place = after_into(token); break;
    case PLACE_INTO_TEMP: place = after_into_temp(judge, token); break;
    case PLACE_TARGET: place = after_update(judge, token); break;
    case PLACE_TARGET_NAMED: place = token->kind == TOKEN_DOT ? PLACE_TARGET : PLACE_NONE; break;
    }
    judge->place = place == PLACE_NONE ? new_place(judge, token) : place;
}

static void look_at_word(judge_t *judge, const token_t *token) {
    static const char *const streams[] = {"stdin", "stdout", NULL}, *const directions[] = {"from", "to", NULL};
    const token_t *before = judge->read > 1 ? back(judge, 1) : token;
    if (token_is(&judge->first, "copy") && judge->depth == 0 && is_any(token, streams) && is_any(before, directions)) {
        find(judge, VERDICT_COPY, &judge->first);
    }
    if (token_is(&judge->first, "create")) {
        if (token_is(before, "begin") && token_is(token, "atomic")) judge->body = true;
        if (token_is(before, "as") && token_is(token, "execute")) find(judge, VERDICT_SESSION, token);
    }
    bool alone = judge->rule && judge->rule->alone && token_is(token, judge->rule->alone);
    if (alone && judge->found.verdict == VERDICT_SHAREABLE) find(judge, VERDICT_ALONE, token);
}

/* The second word is known when it comes; what may stand before it is no word of its own. */
static void complete_rule(judge_t *judge) {
    const token_t *token = back(judge, 0);
    if (token->start == judge->first.start) return;
    static const char *const after_create[] = {"or", "replace", NULL}, *const after_rollback[] = {"work", "transaction", NULL};
    bool creates = token_is(&judge->first, "create"), rolls_back = token_is(&judge->first, "rollback");
    if ((creates && is_any(token, after_create)) || (rolls_back && is_any(token, after_rollback))) return;
    judge->complete = true;
    if (token->kind != TOKEN_WORD || !judge->rule) return;
    judge->rule = statement_rule(judge->first.name, judge->first.name_length, token->name, token->name_length);
}

static void look(judge_t *judge) {
    const token_t *token = back(judge, 0);
    bool calls = !(judge->rule && judge->rule->kind == STATEMENT_DEFINES);
    if (token->kind == TOKEN_SEMICOLON) {
        judge->ended |= judge->depth <= 0 && !judge->body;
    } else if (token->kind != TOKEN_END) {
        judge->several |= judge->ended;
    }
    if (calls) look_at_name_before(judge);
    follow_dots(judge, token);
    follow_place(judge, token);
    if (is_temporary_schema(token)) find(judge, VERDICT_SESSION, token);
    if (token->kind == TOKEN_WORD) look_at_word(judge, token);
}

/* To the word that the statement begins with, past semicolons and parentheses. */
static bool read_first(judge_t *judge, bool *in_parentheses) {
    *in_parentheses = false;
    while (advance(judge)) {
        token_kind_t kind = back(judge, 0)->kind;
        if (kind == TOKEN_OPEN) *in_parentheses = true;
        else if (kind != TOKEN_SEMICOLON || *in_parentheses) return true;
    }
    return false;
}

static void begin(judge_t *judge, const token_t *first) {
    judge->first = *first;
    judge->rule = first->kind == TOKEN_WORD ? statement_rule(first->name, first->name_length, "", 0) : NULL;
}

/* EXPLAIN ANALYZE VERBOSE, EXPLAIN (...): from behind the first of these words to the statement that is explained. */
static bool skip_explain(judge_t *judge, bool *in_parentheses) {
    static const char *const options[] = {"analyze", "analyse", "verbose", NULL};
    long depth = judge->depth;
    while (advance(judge)) {
        if (is_any(back(judge, 0), options)) continue;
        if (back(judge, 0)->kind != TOKEN_OPEN) return true;
        if (!read_first(judge, in_parentheses)) return false;
        begin(judge, back(judge, 0));
        *in_parentheses = true;
        if (judge->rule && judge->rule->kind == STATEMENT_QUERY) return true;
        while (judge->depth > depth && advance(judge)) continue;
        return judge->depth <= depth && read_first(judge, in_parentheses);
    }
    return false;
}

/* False: there is no statement. */
static bool read_beginning(judge_t *judge) {
    bool in_parentheses;
    if (!read_first(judge, &in_parentheses)) return false;
    begin(judge, back(judge, 0));
    if (token_is(&judge->first, "explain") && !in_parentheses) {
        if (!skip_explain(judge, &in_parentheses)) return false;
        begin(judge, back(judge, 0));
    }
    if (in_parentheses && judge->rule && judge->rule->kind != STATEMENT_QUERY) judge->rule = NULL;
    return true;
}

static judgement_t judgement(verdict_t verdict, const judge_t *judge, const token_t *token) {
    return (judgement_t){verdict, (size_t)(token->start - judge->sql), token->length};
}

static judgement_t conclude(const judge_t *judge) {
    if (back(judge, 0)->kind == TOKEN_BROKEN) return judgement(VERDICT_UNKNOWN, judge, back(judge, 0));
    if (judge->several) return judgement(VERDICT_SCRIPT, judge, &judge->first);
    if (!judge->rule) return judgement(VERDICT_UNKNOWN, judge, &judge->first);
    bool first_decides = judge->rule->verdict > VERDICT_ALONE || judge->found.verdict == VERDICT_SHAREABLE;
    return first_decides ? judgement(judge->rule->verdict, judge, &judge->first) : judge->found;
}

judgement_t judge(const char *sql, size_t length, const session_function_t *functions, size_t count) {
    judge_t judge = {.scanner = scanner_of(sql, length), .sql = sql, .functions = functions, .function_count = count};
    if (!read_beginning(&judge)) {
        bool empty = back(&judge, 0)->kind == TOKEN_END && judge.first.kind == TOKEN_END && judge.depth == 0;
        return judgement(empty ? VERDICT_SHAREABLE : VERDICT_UNKNOWN, &judge, back(&judge, 0));
    }
    do {
        if (!judge.complete) complete_rule(&judge);
        look(&judge);
    } while (advance(&judge));
    look(&judge);
    return conclude(&judge);
}
