#include "copy_statement.h"

#include <strings.h>
#include "scanner.h"

typedef struct {
    scanner_t scanner;
    const char *sql;
    token_t token;
} text_t;

static void next(text_t *text) { scanner_next(&text->scanner, &text->token); }

static bool at_end(const text_t *text) { return text->token.kind == TOKEN_END || text->token.kind == TOKEN_BROKEN; }

/* Reads from behind an opening parenthesis to behind the one that closes it; start and length are those of the text between. */
static bool between_parentheses(text_t *text, size_t *start, size_t *length) {
    const char *from = text->token.start + 1;
    long depth = 1;
    while (depth > 0) {
        next(text);
        if (at_end(text)) return false;
        depth += text->token.kind == TOKEN_OPEN;
        depth -= text->token.kind == TOKEN_CLOSE;
    }
    *start = (size_t)(from - text->sql);
    *length = (size_t)(text->token.start - from);
    next(text);
    return true;
}

/* Reads a name, with or without a schema. */
static bool table_name(text_t *text, copy_statement_t *copy) {
    const char *from = text->token.start, *to = from;
    while (text->token.kind == TOKEN_WORD || text->token.kind == TOKEN_QUOTED) {
        to = text->token.start + text->token.length;
        next(text);
        if (text->token.kind != TOKEN_DOT) break;
        next(text);
    }
    copy->source = (size_t)(from - text->sql);
    copy->source_length = (size_t)(to - from);
    return to > from;
}

static bool source(text_t *text, copy_statement_t *copy) {
    copy->query = text->token.kind == TOKEN_OPEN;
    if (copy->query) return between_parentheses(text, &copy->source, &copy->source_length);
    if (!table_name(text, copy)) return false;
    return text->token.kind != TOKEN_OPEN || between_parentheses(text, &copy->columns, &copy->columns_length);
}

/* Words that do not change the format; what comes behind WHERE is no option. */
static bool is_harmless(const token_t *token) {
    static const char *const words[] = {"with", "format", "text", "binary", "freeze", "true", "false", "on", "off", NULL};
    if (token->kind == TOKEN_OPEN || token->kind == TOKEN_CLOSE || token->kind == TOKEN_SEMICOLON) return true;
    if (token->kind == TOKEN_OTHER) {
        return (token->length == 1 && *token->start == ',') || (token->length == 6 && strncasecmp(token->start, "'text'", 6) == 0) ||
               (token->length == 8 && strncasecmp(token->start, "'binary'", 8) == 0);
    }
    for (size_t at = 0; words[at]; at++) {
        if (token_is(token, words[at])) return true;
    }
    return false;
}

static bool options_are_harmless(text_t *text) {
    for (next(text); !at_end(text) && !token_is(&text->token, "where"); next(text)) {
        if (!is_harmless(&text->token)) return false;
    }
    return true;
}

/* Reads a statement from its first token to its end. Returns whether it has FROM or TO with STDIN or STDOUT. */
static bool names_client(text_t *text) {
    bool named = false;
    while (!at_end(text) && text->token.kind != TOKEN_SEMICOLON) {
        bool direction = token_is(&text->token, "from") || token_is(&text->token, "to");
        next(text);
        named |= direction && (token_is(&text->token, "stdin") || token_is(&text->token, "stdout"));
    }
    return named;
}

bool copy_statement_among(const char *sql, size_t length, size_t *at, size_t *copy_length) {
    text_t text = {.scanner = scanner_of(sql, length), .sql = sql};
    for (next(&text); !at_end(&text); next(&text)) {
        *at = (size_t)(text.token.start - sql);
        bool copies = token_is(&text.token, "copy") && names_client(&text);
        *copy_length = (size_t)(text.token.start - sql) - *at;
        if (copies) return true;
        while (!at_end(&text) && text.token.kind != TOKEN_SEMICOLON) next(&text);
    }
    return false;
}

bool copy_statement_read(const char *sql, size_t length, copy_statement_t *copy) {
    text_t text = {.scanner = scanner_of(sql, length), .sql = sql};
    *copy = (copy_statement_t){.query = false};
    do next(&text); while (text.token.kind == TOKEN_SEMICOLON);
    if (!token_is(&text.token, "copy")) return false;
    next(&text);
    if (token_is(&text.token, "binary")) next(&text); /* as before version 7.3 */
    if (!source(&text, copy)) return false;
    bool takes = token_is(&text.token, "from"), sends = token_is(&text.token, "to");
    next(&text);
    if (!(takes || sends) || !(token_is(&text.token, "stdin") || token_is(&text.token, "stdout"))) return false;
    copy->plain = options_are_harmless(&text);
    return true;
}
