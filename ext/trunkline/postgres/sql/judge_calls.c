#include "judge_calls.h"

static bool listed_by_user(judge_t *judge, const token_t *name, const token_t *schema) {
    bool listed = false;
    for (size_t at = 0; at < judge->carrier_count; at++) {
        const session_carrier_t *carrier = &judge->carriers[at];
        if (carrier->by != REACHED_BY_CALL || !carrier_is_named(carrier, name, schema)) continue;
        judge_note(judge, carrier);
        listed = true;
    }
    return listed;
}

/* Of a call that is carried out. */
static function_kind_t kind_of(const judge_t *judge, const token_t *name, const token_t *schema) {
    if (judge->explained && is_never_planned(name->name, name->name_length)) return FUNCTION_ORDINARY;
    return function_kind(name->name, name->name_length, schema ? schema->name : NULL, schema ? schema->name_length : 0);
}

/* WITH ..., name (a, b) AS (SELECT ...: a list of nothing but names, and a query. Begins behind the parenthesis. */
static bool is_column_list(const judge_t *judge) {
    scanner_t ahead = judge->scanner;
    token_t token;
    do {
        scanner_next(&ahead, &token);
        if (!token_is_name(&token)) return false;
        scanner_next(&ahead, &token);
    } while (token_is_sign(&token, ','));
    if (token.kind != TOKEN_CLOSE) return false;
    scanner_next(&ahead, &token);
    if (!token_is(&token, "as")) return false;
    scanner_next(&ahead, &token);
    if (token.kind != TOKEN_OPEN) return false;
    scanner_next(&ahead, &token);
    return token_is(&token, "select") || token_is(&token, "with"); /* what a list of columns and their types cannot begin with */
}

/* Is the name that begins here, by what is before it, a table's, a type's or an alias, whatever parenthesis comes behind it? */
static bool begins_relation(const judge_t *judge) {
    static const char *const anywhere[] = {"into", "references", "as", "with", NULL};
    static const char *const created[] = {"table", "exists", "view", "of", NULL};
    const token_t *before = judge_back(judge, 1);
    if (before->kind != TOKEN_WORD) return false;
    if (token_is_any(before, anywhere)) return true;
    if (token_is(before, "recursive")) return token_is(judge_back(judge, 2), "with");
    if (token_is(&judge->first, "copy")) return before->start == judge->first.start || token_is(before, "binary");
    if (!token_is(&judge->first, "create") || judge->depth != 0) return false;
    if (judge->indexes) return token_is(before, "on") || (token_is(before, "only") && token_is(judge_back(judge, 2), "on"));
    return token_is_any(before, created);
}

static void follow_name(judge_t *judge) {
    const token_t *token = judge_back(judge, 0), *before = judge_back(judge, 1);
    if (token->kind == TOKEN_DOT) return;
    if (token_is_name(token) && before->kind != TOKEN_DOT) judge->relation = begins_relation(judge);
}

/* A dot after what is no name belongs to a value, and so does what comes after that. */
static void follow_dots(judge_t *judge) {
    const token_t *token = judge_back(judge, 0), *before = judge_back(judge, 1);
    if (token->kind == TOKEN_DOT) judge->of_value = judge->read > 1 && (judge->of_value || !token_is_name(before));
    else if (before->kind != TOKEN_DOT) judge->of_value = false;
}

/* Expressions that are stored for later rows: DEFAULT in CREATE TABLE and CREATE DOMAIN, and behind ALTER name SET. What ADD COLUMN
 * has is computed at once. */
static void follow_defaults(judge_t *judge) {
    static const char *const owners[] = {"alter", "column", "domain", NULL};
    const token_t *token = judge_back(judge, 0);
    bool ends = judge->depth < judge->default_depth || (judge->depth == judge->default_depth && token_is_sign(token, ','));
    if (ends) judge->default_depth = -1;
    if (judge->depth == 0 && token_is(&judge->first, "create")) {
        if (token_is(token, "table") || token_is(token, "domain")) judge->keeps_defaults = true;
        else if (token_is(token, "as")) judge->keeps_defaults = false;
    }
    if (judge->default_depth >= 0 || !token_is(token, "default")) return;
    bool altered = token_is(&judge->first, "alter") && judge->depth == 0 && token_is(judge_back(judge, 1), "set") &&
                   token_is_any(judge_back(judge, 3), owners);
    if (judge->keeps_defaults || altered) judge->default_depth = judge->depth;
}

static void found_call(judge_t *judge, const pending_call_t *call) { judge_find_at(judge, VERDICT_SESSION, call->at, call->length); }

/* What is at its place among the arguments is seen when they end. */
static void await_arguments(judge_t *judge, const token_t *name, function_kind_t kind) {
    pending_call_t call = {.kind = kind, .at = (size_t)(name->start - judge->sql), .length = name->length, .depth = judge->depth};
    if (judge->pending_count == PENDING_CALLS) found_call(judge, &call);
    else judge->pending[judge->pending_count++] = call;
}

/* A plain string, in quotes, that is the first argument as a whole. */
static bool names_harmless_setting(const judge_t *judge) {
    const token_t *name = judge_back(judge, 1);
    bool whole = judge_back(judge, 2)->kind == TOKEN_OPEN && name->kind == TOKEN_OTHER && name->length > 2 && *name->start == '\'';
    return whole && is_harmless_setting(name->start + 1, name->length - 2);
}

/* set_config(name, value, true) lasts as long as its transaction; ts_rewrite(query, target, substitute) runs no SQL. */
static bool keeps_nothing(const judge_t *judge, const pending_call_t *call) {
    if (call->spoiled || call->commas != 2) return false;
    if (call->kind == FUNCTION_REWRITES) return true;
    return call->harmless && token_is(judge_back(judge, 1), "true") && token_is_sign(judge_back(judge, 2), ',');
}

static void follow_arguments(judge_t *judge) {
    const token_t *token = judge_back(judge, 0);
    if (judge->pending_count == 0) return;
    pending_call_t *call = &judge->pending[judge->pending_count - 1];
    if (token_is_sign(token, '[')) call->spoiled = true;
    if (token_is_sign(token, ',') && judge->depth == call->depth && call->commas++ == 0) call->harmless = names_harmless_setting(judge);
    if (judge->depth >= call->depth) return;
    if (!keeps_nothing(judge, call)) found_call(judge, call);
    judge->pending_count--;
}

/* name(...), which the opening parenthesis shows. */
static void look_at_call(judge_t *judge, const token_t *name) {
    const token_t *schema = judge_back(judge, 2)->kind == TOKEN_DOT && token_is_name(judge_back(judge, 3)) ? judge_back(judge, 3) : NULL;
    bool column_list = token_is_sign(judge_back(judge, 2), ',');
    if (listed_by_user(judge, name, schema)) {
        if (!(column_list && is_column_list(judge))) judge_find(judge, VERDICT_SESSION, name);
        return;
    }
    function_kind_t kind = kind_of(judge, name, schema);
    if (kind == FUNCTION_ORDINARY || (column_list && is_column_list(judge))) return;
    if (kind == FUNCTION_SETS || kind == FUNCTION_REWRITES) await_arguments(judge, name, kind);
    else judge_find(judge, VERDICT_SESSION, name);
}

/* (value).name calls a function; so does alias.name where a function in FROM returns a plain value, and, of the users' own, one that
 * takes a row. A table's name has more dots before it, or none. */
static void look_at_attribute(judge_t *judge, const token_t *name) {
    const token_t *owner = judge_back(judge, 3);
    if (judge_back(judge, 2)->kind != TOKEN_DOT || judge_back(judge, 0)->kind == TOKEN_DOT) return;
    if (listed_by_user(judge, name, NULL)) {
        judge_find(judge, VERDICT_SESSION, name);
        return;
    }
    if (kind_of(judge, name, NULL) != FUNCTION_KEEPS_OF_ONE) return;
    if (judge->of_value) {
        judge_find(judge, VERDICT_SESSION, name);
    } else if (token_is_name(owner) && judge_back(judge, 4)->kind != TOKEN_DOT) {
        bool room = scalar_aliases_suspect(&judge->aliases, owner, (size_t)(name->start - judge->sql), name->length);
        if (!room) judge_find(judge, VERDICT_SESSION, name);
    }
}

/* What a name is shows in what comes behind it. */
static void look_at_name_before(judge_t *judge) {
    const token_t *name = judge_back(judge, 1);
    bool stored = judge->default_depth >= 0 || (judge->rule && judge->rule->kind == STATEMENT_DEFINES);
    if (!token_is_name(name) || judge->relation || stored) return;
    if (judge_back(judge, 0)->kind == TOKEN_OPEN) look_at_call(judge, name);
    else look_at_attribute(judge, name);
}

void judge_calls(judge_t *judge) {
    look_at_name_before(judge);
    follow_arguments(judge);
    follow_dots(judge);
    follow_name(judge);
    follow_defaults(judge);
}

void judge_remaining_calls(judge_t *judge) {
    while (judge->pending_count > 0) found_call(judge, &judge->pending[--judge->pending_count]);
    size_t at, length;
    if (judge->found.verdict > VERDICT_ALONE) return;
    if (scalar_aliases_called(&judge->aliases, judge->sql, (size_t)(judge->scanner.end - judge->sql), &at, &length)) {
        judge_find_at(judge, VERDICT_SESSION, at, length);
    }
}
