/* Splits SQL into the same tokens as PostgreSQL's own scanner, with standard_conforming_strings on. */
#ifndef TRUNKLINE_SCANNER_H
#define TRUNKLINE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "unicode_name.h"

typedef enum {
    TOKEN_END,
    TOKEN_WORD,   /* a keyword, or an unquoted identifier */
    TOKEN_QUOTED, /* a quoted identifier */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_DOT,
    TOKEN_SEMICOLON,
    TOKEN_OTHER, /* a string, a number, a parameter; an operator, or one character of it */
    TOKEN_BROKEN, /* the text ends within a quote or a comment, or a name has an invalid escape */
} token_kind_t;

typedef struct {
    const char *start;
    size_t length; /* bytes, as written */
    token_kind_t kind;
    uint8_t name_length;
    char name[NAME_MOST]; /* of a word or an identifier, as the server stores it: in lower case, or without its quotes */
} token_t;

typedef struct {
    const char *at, *end;
} scanner_t;

/* At the beginning of this SQL, which must live as long as the scanner does. */
scanner_t scanner_of(const char *sql, size_t length);

/* Reads the next token, past blanks and comments. After TOKEN_END and TOKEN_BROKEN it returns the same again. */
void scanner_next(scanner_t *scanner, token_t *token);

/* Whether the token is this keyword. The first letter decides in most cases. */
static inline bool token_is(const token_t *token, const char *word) {
    if (token->kind != TOKEN_WORD || token->name[0] != word[0]) return false;
    return strlen(word) == token->name_length && memcmp(token->name, word, token->name_length) == 0;
}

#endif
