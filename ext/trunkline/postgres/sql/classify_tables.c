#include "classify_tables.h"

/* Temporary objects are in the schema pg_temp, or pg_temp_ and a number. */
static bool is_temporary_schema(const token_t *token) {
    static const char schema[] = "pg_temp";
    size_t length = strlen(schema);
    if (!token_is_name(token) || token->name_length < length || memcmp(token->name, schema, length) != 0) return false;
    if (token->name_length == length) return true;
    if (token->name[length] != '_' || token->name_length == length + 1) return false;
    for (size_t at = length + 1; at < token->name_length; at++) {
        if (token->name[at] < '0' || token->name[at] > '9') return false;
    }
    return true;
}

/* A name is a schema's before a dot, or behind the word SCHEMA, or behind INTO in IMPORT FOREIGN SCHEMA. Elsewhere it is the name of a column, or an
 * element of a search_path. */
static void check_schema(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0), *before = classifier_back(classifier, 1);
    if (token->kind == TOKEN_DOT && is_temporary_schema(before)) classifier_find(classifier, CLASS_SESSION, before);
    bool named = token_is(before, "schema") || (token_is(&classifier->first, "import") && token_is(before, "into"));
    if (named && is_temporary_schema(token)) classifier_find(classifier, CLASS_SESSION, token);
}

/* CREATE TEMP ... */
static table_clause_t after_create(classifier_t *classifier, const token_t *token) {
    static const char *const between[] = {"or", "replace", "local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (token_is_any(token, between)) return CLAUSE_CREATE;
    if (token_is_any(token, temporary)) classifier_find(classifier, CLASS_SESSION, token);
    return CLAUSE_NONE;
}

static table_clause_t after_into(const token_t *token) {
    static const char *const between[] = {"local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (token_is_any(token, between)) return CLAUSE_INTO;
    return token_is_any(token, temporary) ? CLAUSE_INTO_TEMP : CLAUSE_NONE;
}

/* SELECT ... INTO TEMP name; a table may be called temp as well. */
static table_clause_t after_into_temp(classifier_t *classifier, const token_t *token) {
    bool name = token_is_name(token) && !(token->kind == TOKEN_WORD && follows_into(token->name, token->name_length));
    if (name) classifier_find(classifier, CLASS_SESSION, classifier_back(classifier, 1));
    return CLAUSE_NONE;
}

/* A rule of the view pg_settings turns updates into settings of the session. */
static table_clause_t after_update(classifier_t *classifier, const token_t *token) {
    if (token->kind == TOKEN_OPEN || token_is(token, "only")) return CLAUSE_TARGET;
    if (token_is_named(token, "pg_settings")) classifier_find(classifier, CLASS_SESSION, token);
    return token_is_name(token) ? CLAUSE_TARGET_NAMED : CLAUSE_NONE;
}

static table_clause_t new_clause(const classifier_t *classifier, const token_t *token) {
    static const char *const into_a_table[] = {"insert", "merge", NULL};
    const token_t *before = classifier_back(classifier, 1);
    if (token_is(token, "create")) return CLAUSE_CREATE;
    if (token_is(token, "update")) return CLAUSE_TARGET;
    if (token_is(token, "into") && token_is(before, "merge")) return CLAUSE_TARGET;
    return token_is(token, "into") && !token_is_any(before, into_a_table) ? CLAUSE_INTO : CLAUSE_NONE;
}

void classify_tables(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0);
    table_clause_t clause = CLAUSE_NONE;
    switch (classifier->clause) {
    case CLAUSE_NONE: break;
    case CLAUSE_CREATE: clause = after_create(classifier, token); break;
    case CLAUSE_INTO: clause = after_into(token); break;
    case CLAUSE_INTO_TEMP: clause = after_into_temp(classifier, token); break;
    case CLAUSE_TARGET: clause = after_update(classifier, token); break;
    case CLAUSE_TARGET_NAMED: clause = token->kind == TOKEN_DOT ? CLAUSE_TARGET : CLAUSE_NONE; break;
    }
    classifier->clause = clause == CLAUSE_NONE ? new_clause(classifier, token) : clause;
    check_schema(classifier);
}
