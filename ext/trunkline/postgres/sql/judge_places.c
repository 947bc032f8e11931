#include "judge_places.h"

/* Temporary objects lie in the schema pg_temp, or pg_temp_ and a number. */
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

/* A schema is what stands before a dot, or behind the word SCHEMA; IMPORT FOREIGN SCHEMA has one behind INTO. Elsewhere it is the name
 * of a column, or an element of a search_path. */
static void look_at_schema(judge_t *judge) {
    const token_t *token = judge_back(judge, 0), *before = judge_back(judge, 1);
    if (token->kind == TOKEN_DOT && is_temporary_schema(before)) judge_find(judge, VERDICT_SESSION, before);
    bool named = token_is(before, "schema") || (token_is(&judge->first, "import") && token_is(before, "into"));
    if (named && is_temporary_schema(token)) judge_find(judge, VERDICT_SESSION, token);
}

/* CREATE TEMP ... */
static place_t after_create(judge_t *judge, const token_t *token) {
    static const char *const between[] = {"or", "replace", "local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (token_is_any(token, between)) return PLACE_CREATE;
    if (token_is_any(token, temporary)) judge_find(judge, VERDICT_SESSION, token);
    return PLACE_NONE;
}

static place_t after_into(const token_t *token) {
    static const char *const between[] = {"local", "global", NULL}, *const temporary[] = {"temp", "temporary", NULL};
    if (token_is_any(token, between)) return PLACE_INTO;
    return token_is_any(token, temporary) ? PLACE_INTO_TEMP : PLACE_NONE;
}

/* SELECT ... INTO TEMP name; a table may be called temp as well. */
static place_t after_into_temp(judge_t *judge, const token_t *token) {
    bool name = token_is_name(token) && !(token->kind == TOKEN_WORD && follows_into(token->name, token->name_length));
    if (name) judge_find(judge, VERDICT_SESSION, judge_back(judge, 1));
    return PLACE_NONE;
}

/* A rule of the view pg_settings turns updates into settings of the session. */
static place_t after_update(judge_t *judge, const token_t *token) {
    if (token->kind == TOKEN_OPEN || token_is(token, "only")) return PLACE_TARGET;
    if (token_is_named(token, "pg_settings")) judge_find(judge, VERDICT_SESSION, token);
    return token_is_name(token) ? PLACE_TARGET_NAMED : PLACE_NONE;
}

static place_t new_place(const judge_t *judge, const token_t *token) {
    static const char *const into_a_table[] = {"insert", "merge", NULL};
    const token_t *before = judge_back(judge, 1);
    if (token_is(token, "create")) return PLACE_CREATE;
    if (token_is(token, "update")) return PLACE_TARGET;
    if (token_is(token, "into") && token_is(before, "merge")) return PLACE_TARGET;
    return token_is(token, "into") && !token_is_any(before, into_a_table) ? PLACE_INTO : PLACE_NONE;
}

void judge_places(judge_t *judge) {
    const token_t *token = judge_back(judge, 0);
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
    look_at_schema(judge);
}
