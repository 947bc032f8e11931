/* Splits the server's text of an array, "[0:1]={{a,NULL},{\"b c\",d}}", into tokens. */
#ifndef TRUNKLINE_POSTGRES_ARRAY_TEXT_H
#define TRUNKLINE_POSTGRES_ARRAY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { ARRAY_DEPTH_MAX = 6 }; /* the server's own limit */

typedef enum {
    ARRAY_OPEN,
    ARRAY_CLOSE,
    ARRAY_NULL,
    ARRAY_VALUE,
    ARRAY_END,
    ARRAY_MALFORMED,
} array_token_kind_t;

typedef struct {
    const char *bytes; /* of a value, without its quotes */
    size_t length;
    bool escaped; /* holds backslashes: array_text_unescape gives the value */
} array_token_t;

typedef struct {
    const char *at, *end;
    int depth;      /* open braces */
    int leaf_depth; /* depth of the values; 0 before the first */
    bool after_item, after_comma;
} array_text_t;

/* Skips the bounds, if any. */
void array_text_start(array_text_t *text, const char *bytes, size_t length);

/* The next token; *token points into the text for a value. Must not be called after ARRAY_END or ARRAY_MALFORMED. */
array_token_kind_t array_text_next(array_text_t *text, array_token_t *token);

/* Writes the value (never longer than the token) and returns its length. */
size_t array_text_unescape(const array_token_t *token, char *out);

#endif
