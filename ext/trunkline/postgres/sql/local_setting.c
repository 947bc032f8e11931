#include "local_setting.h"

#include "scanner.h"

static bool is_sign(const token_t *token, char sign) { return token->kind == TOKEN_OTHER && token->length == 1 && *token->start == sign; }

static bool is_text(const token_t *token, const char *text) { return token->length == strlen(text) && memcmp(token->start, text, token->length) == 0; }

/* Settings by which names are resolved: they do not affect how the returned value is written. */
static bool is_setting(const token_t *token) {
    return token->kind == TOKEN_OTHER && (is_text(token, "'search_path'") || is_text(token, "'role'"));
}

/* A plain string, or a parameter. */
static bool is_value(const token_t *token) { return token->kind == TOKEN_OTHER && token->length > 1 && (*token->start == '\'' || *token->start == '$'); }

/* Skips the token if it is the optional one. Returns whether it was. */
static bool skip_optional(scanner_t *scanner, token_t *token, bool there) {
    if (there) scanner_next(scanner, token);
    return there;
}

/* Reads set_config, with or without its schema, up to the opening parenthesis. */
static bool read_function(scanner_t *scanner, token_t *token) {
    if (skip_optional(scanner, token, token_is(token, "pg_catalog"))) {
        if (token->kind != TOKEN_DOT) return false;
        scanner_next(scanner, token);
    }
    if (!token_is(token, "set_config")) return false;
    scanner_next(scanner, token);
    return token->kind == TOKEN_OPEN;
}

static bool read_arguments(scanner_t *scanner, token_t *token) {
    scanner_next(scanner, token);
    if (!is_setting(token)) return false;
    scanner_next(scanner, token);
    if (!is_sign(token, ',')) return false;
    scanner_next(scanner, token);
    if (!is_value(token)) return false;
    scanner_next(scanner, token);
    if (!is_sign(token, ',')) return false;
    scanner_next(scanner, token);
    if (!token_is(token, "true")) return false;
    scanner_next(scanner, token);
    return token->kind == TOKEN_CLOSE;
}

bool is_lone_local_setting(const char *sql, size_t length) {
    scanner_t scanner = scanner_of(sql, length);
    token_t token;
    scanner_next(&scanner, &token);
    if (!token_is(&token, "select")) return false;
    scanner_next(&scanner, &token);
    skip_optional(&scanner, &token, token_is(&token, "distinct"));
    if (!read_function(&scanner, &token) || !read_arguments(&scanner, &token)) return false;
    scanner_next(&scanner, &token);
    if (skip_optional(&scanner, &token, token_is(&token, "as"))) {
        if (token.kind != TOKEN_WORD && token.kind != TOKEN_QUOTED) return false;
        scanner_next(&scanner, &token);
    }
    skip_optional(&scanner, &token, token.kind == TOKEN_SEMICOLON);
    return token.kind == TOKEN_END;
}
