#include "classify_calls.h"

static bool listed_by_user(classifier_t *classifier, const token_t *name, const token_t *schema) {
    bool listed = false;
    for (size_t at = 0; at < classifier->keeper_count; at++) {
        const state_keeper_t *keeper = &classifier->keepers[at];
        if (keeper->by != REACHED_BY_CALL || !keeper_is_named(keeper, name, schema)) continue;
        classifier_note(classifier, keeper);
        listed = true;
    }
    return listed;
}

/* The kind of a function that is called; one that EXPLAIN does not call counts as ordinary. */
static function_kind_t kind_of(const classifier_t *classifier, const token_t *name, const token_t *schema) {
    if (classifier->explained && is_never_planned(name->name, name->name_length)) return FUNCTION_ORDINARY;
    return function_kind(name->name, name->name_length, schema ? schema->name : NULL, schema ? schema->name_length : 0);
}

/* Whether a list of nothing but names and AS with a query follow, as in WITH ..., name (a, b) AS (SELECT .... Begins behind the parenthesis. */
static bool is_column_list(const classifier_t *classifier) {
    scanner_t ahead = classifier->scanner;
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

/* Whether the name that begins here is, by the words before it, that of a table, a type or an alias, even with a parenthesis behind it. */
static bool begins_relation(const classifier_t *classifier) {
    static const char *const anywhere[] = {"into", "references", "as", "with", NULL};
    static const char *const created[] = {"table", "exists", "view", "of", NULL};
    const token_t *before = classifier_back(classifier, 1);
    if (before->kind != TOKEN_WORD) return false;
    if (token_is_any(before, anywhere)) return true;
    if (token_is(before, "recursive")) return token_is(classifier_back(classifier, 2), "with");
    if (token_is(&classifier->first, "copy")) return before->start == classifier->first.start || token_is(before, "binary");
    if (!token_is(&classifier->first, "create") || classifier->depth != 0) return false;
    if (classifier->indexes) return token_is(before, "on") || (token_is(before, "only") && token_is(classifier_back(classifier, 2), "on"));
    return token_is_any(before, created);
}

static void follow_name(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0), *before = classifier_back(classifier, 1);
    if (token->kind == TOKEN_DOT) return;
    if (token_is_name(token) && before->kind != TOKEN_DOT) classifier->relation = begins_relation(classifier);
}

/* A dot behind a token that is no name belongs to a value, and so do the names behind it. */
static void follow_dots(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0), *before = classifier_back(classifier, 1);
    if (token->kind == TOKEN_DOT) classifier->of_value = classifier->read > 1 && (classifier->of_value || !token_is_name(before));
    else if (before->kind != TOKEN_DOT) classifier->of_value = false;
}

/* Expressions that are stored for later rows: DEFAULT in CREATE TABLE and CREATE DOMAIN, and behind ALTER name SET. ADD COLUMN evaluates its default
 * at once. */
static void follow_defaults(classifier_t *classifier) {
    static const char *const owners[] = {"alter", "column", "domain", NULL};
    const token_t *token = classifier_back(classifier, 0);
    bool ends = classifier->depth < classifier->default_depth || (classifier->depth == classifier->default_depth && token_is_sign(token, ','));
    if (ends) classifier->default_depth = -1;
    if (classifier->depth == 0 && token_is(&classifier->first, "create")) {
        if (token_is(token, "table") || token_is(token, "domain")) classifier->keeps_defaults = true;
        else if (token_is(token, "as")) classifier->keeps_defaults = false;
    }
    if (classifier->default_depth >= 0 || !token_is(token, "default")) return;
    bool altered = token_is(&classifier->first, "alter") && classifier->depth == 0 && token_is(classifier_back(classifier, 1), "set") &&
                   token_is_any(classifier_back(classifier, 3), owners);
    if (classifier->keeps_defaults || altered) classifier->default_depth = classifier->depth;
}

static void found_call(classifier_t *classifier, const pending_call_t *call) { classifier_find_at(classifier, CLASS_SESSION, call->at, call->length); }

/* The arguments are checked when they end. */
static void await_arguments(classifier_t *classifier, const token_t *name, function_kind_t kind) {
    pending_call_t call = {.kind = kind, .at = (size_t)(name->start - classifier->sql), .length = name->length, .depth = classifier->depth};
    if (classifier->pending_count == PENDING_CALLS) found_call(classifier, &call);
    else classifier->pending[classifier->pending_count++] = call;
}

/* Whether the whole first argument is a quoted string with the name of such a setting. */
static bool names_harmless_setting(const classifier_t *classifier) {
    const token_t *name = classifier_back(classifier, 1);
    bool whole = classifier_back(classifier, 2)->kind == TOKEN_OPEN && name->kind == TOKEN_OTHER && name->length > 2 && *name->start == '\'';
    return whole && is_harmless_setting(name->start + 1, name->length - 2);
}

/* set_config(name, value, true) lasts as long as its transaction; ts_rewrite(query, target, substitute) runs no SQL. */
static bool keeps_nothing(const classifier_t *classifier, const pending_call_t *call) {
    if (call->spoiled || call->commas != 2) return false;
    if (call->kind == FUNCTION_REWRITES) return true;
    return call->harmless && token_is(classifier_back(classifier, 1), "true") && token_is_sign(classifier_back(classifier, 2), ',');
}

static void follow_arguments(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0);
    if (classifier->pending_count == 0) return;
    pending_call_t *call = &classifier->pending[classifier->pending_count - 1];
    if (token_is_sign(token, '[')) call->spoiled = true;
    if (token_is_sign(token, ',') && classifier->depth == call->depth && call->commas++ == 0) call->harmless = names_harmless_setting(classifier);
    if (classifier->depth >= call->depth) return;
    if (!keeps_nothing(classifier, call)) found_call(classifier, call);
    classifier->pending_count--;
}

/* A name before an opening parenthesis. */
static void check_call(classifier_t *classifier, const token_t *name) {
    const token_t *schema = classifier_back(classifier, 2)->kind == TOKEN_DOT && token_is_name(classifier_back(classifier, 3)) ? classifier_back(classifier, 3) : NULL;
    bool column_list = token_is_sign(classifier_back(classifier, 2), ',');
    if (listed_by_user(classifier, name, schema)) {
        if (!(column_list && is_column_list(classifier))) classifier_find(classifier, CLASS_SESSION, name);
        return;
    }
    function_kind_t kind = kind_of(classifier, name, schema);
    if (kind == FUNCTION_ORDINARY || (column_list && is_column_list(classifier))) return;
    if (kind == FUNCTION_SETS || kind == FUNCTION_REWRITES) await_arguments(classifier, name, kind);
    else classifier_find(classifier, CLASS_SESSION, name);
}

/* (value).name calls a function; so does alias.name where a function in FROM returns a scalar, and, for the users' own functions, one that takes a
 * row. A table's name has more dots before it, or none. */
static void check_attribute(classifier_t *classifier, const token_t *name) {
    const token_t *owner = classifier_back(classifier, 3);
    if (classifier_back(classifier, 2)->kind != TOKEN_DOT || classifier_back(classifier, 0)->kind == TOKEN_DOT) return;
    if (listed_by_user(classifier, name, NULL)) {
        classifier_find(classifier, CLASS_SESSION, name);
        return;
    }
    if (kind_of(classifier, name, NULL) != FUNCTION_KEEPS_OF_ONE) return;
    if (classifier->of_value) {
        classifier_find(classifier, CLASS_SESSION, name);
    } else if (token_is_name(owner) && classifier_back(classifier, 4)->kind != TOKEN_DOT) {
        bool room = scalar_aliases_suspect(&classifier->aliases, owner, (size_t)(name->start - classifier->sql), name->length);
        if (!room) classifier_find(classifier, CLASS_SESSION, name);
    }
}

/* The token behind a name shows what it is. */
static void check_name_before(classifier_t *classifier) {
    const token_t *name = classifier_back(classifier, 1);
    bool stored = classifier->default_depth >= 0 || (classifier->rule && classifier->rule->kind == STATEMENT_DEFINES);
    if (!token_is_name(name) || classifier->relation || stored) return;
    if (classifier_back(classifier, 0)->kind == TOKEN_OPEN) check_call(classifier, name);
    else check_attribute(classifier, name);
}

void classify_calls(classifier_t *classifier) {
    check_name_before(classifier);
    follow_arguments(classifier);
    follow_dots(classifier);
    follow_name(classifier);
    follow_defaults(classifier);
}

void classify_remaining_calls(classifier_t *classifier) {
    while (classifier->pending_count > 0) found_call(classifier, &classifier->pending[--classifier->pending_count]);
    size_t at, length;
    if (classifier->found.class > CLASS_ALONE) return;
    if (scalar_aliases_called(&classifier->aliases, classifier->sql, (size_t)(classifier->scanner.end - classifier->sql), &at, &length)) {
        classifier_find_at(classifier, CLASS_SESSION, at, length);
    }
}
