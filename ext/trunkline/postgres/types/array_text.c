#include "array_text.h"

#include <string.h>

static const char *skip_digits(const char *at, const char *end) {
    if (at < end && (*at == '-' || *at == '+')) at++;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

/* Skips one "[2:3]"; returns the given position if there is none. */
static const char *skip_bound(const char *start, const char *end) {
    if (start == end || *start != '[') return start;
    const char *at = skip_digits(start + 1, end);

    if (at == end || *at != ':') return start;
    at = skip_digits(at + 1, end);
    return at == end || *at != ']' ? start : at + 1;
}

void array_text_start(array_text_t *text, const char *bytes, size_t length) {
    const char *end = bytes + length, *at = bytes, *next;

    while ((next = skip_bound(at, end)) != at) at = next;
    if (at != bytes && at < end && *at == '=') at++;
    *text = (array_text_t){.at = at, .end = end};
}

static array_token_kind_t open_brace(array_text_t *text) {
    bool too_deep = text->depth == ARRAY_DEPTH_MAX || (text->leaf_depth && text->depth >= text->leaf_depth);

    if (text->after_item || too_deep) return ARRAY_MALFORMED;
    text->depth++;
    text->after_comma = false;
    return ARRAY_OPEN;
}

/* Only the outermost array can be empty. */
static array_token_kind_t close_brace(array_text_t *text) {
    if (text->after_comma || (!text->after_item && text->depth > 1)) return ARRAY_MALFORMED;
    text->depth--;
    text->after_item = true;
    return ARRAY_CLOSE;
}

static array_token_kind_t quoted(array_text_t *text, array_token_t *token) {
    token->bytes = text->at;
    for (; text->at < text->end && *text->at != '"'; text->at++) {
        if (*text->at != '\\') continue;
        token->escaped = true;
        if (++text->at == text->end) return ARRAY_MALFORMED;
    }
    if (text->at == text->end) return ARRAY_MALFORMED;
    token->length = (size_t)(text->at++ - token->bytes);
    return ARRAY_VALUE;
}

static bool ends_bare_value(char c) {
    return c == ',' || c == '{' || c == '}' || c == '"' || c == '\\';
}

static array_token_kind_t bare(array_text_t *text, array_token_t *token) {
    token->bytes = text->at;
    while (text->at < text->end && !ends_bare_value(*text->at)) text->at++;
    token->length = (size_t)(text->at - token->bytes);
    if (token->length == 0) return ARRAY_MALFORMED;
    return token->length == 4 && memcmp(token->bytes, "NULL", 4) == 0 ? ARRAY_NULL : ARRAY_VALUE;
}

static array_token_kind_t value(array_text_t *text, array_token_t *token) {
    if (text->after_item) return ARRAY_MALFORMED;
    if (text->leaf_depth == 0) text->leaf_depth = text->depth;
    if (text->leaf_depth != text->depth) return ARRAY_MALFORMED;

    text->after_item = true;
    text->after_comma = false;
    token->escaped = false;
    if (*text->at != '"') return bare(text, token);
    text->at++;
    return quoted(text, token);
}

static bool take_comma(array_text_t *text) {
    if (*text->at != ',') return true;
    text->at++;
    if (!text->after_item) return false;
    text->after_item = false;
    text->after_comma = true;
    return text->at < text->end;
}

array_token_kind_t array_text_next(array_text_t *text, array_token_t *token) {
    if (text->depth == 0) {
        if (text->after_item) return text->at == text->end ? ARRAY_END : ARRAY_MALFORMED;
        if (text->at == text->end || *text->at != '{') return ARRAY_MALFORMED;
    }
    if (text->at == text->end || !take_comma(text)) return ARRAY_MALFORMED;

    switch (*text->at) {
    case '{':
        text->at++;
        return open_brace(text);
    case '}':
        text->at++;
        return close_brace(text);
    default: return value(text, token);
    }
}

size_t array_text_unescape(const array_token_t *token, char *out) {
    const char *at = token->bytes, *end = at + token->length;
    char *start = out;

    while (at < end) {
        if (*at == '\\') at++;
        *out++ = *at++;
    }
    return (size_t)(out - start);
}
