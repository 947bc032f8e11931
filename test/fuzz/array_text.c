/* An array's text: as many tokens as bytes at most, no deeper than the server goes, each within the text. */
#include "fuzz.h"
#include "postgres/types/array_text.h"

static void unescape(const array_token_t *token, const char *bytes, size_t size) {
    MUST(token->bytes >= bytes && token->bytes + token->length <= bytes + size);
    char *out = exact_copy(token->bytes, token->length);
    size_t length = array_text_unescape(token, out);
    MUST(token->escaped ? length < token->length : length == token->length);
    free(out);
}

static void read_long(const char *bytes, size_t size) {
    array_text_t text;
    array_token_t token;
    array_text_start(&text, bytes, size);
    for (;;) {
        array_token_kind_t kind = array_text_next(&text, &token);
        if (kind == ARRAY_MALFORMED || kind == ARRAY_END) return;
        if (kind == ARRAY_VALUE) unescape(&token, bytes, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    array_text_t text;
    array_token_t token;
    array_text_start(&text, bytes, size);
    size_t opened = 0, closed = 0, steps = 0;
    for (;;) {
        array_token_kind_t kind = array_text_next(&text, &token);
        MUST(++steps <= size + 1 && text.depth >= 0 && text.depth <= ARRAY_DEPTH_MAX);
        if (kind == ARRAY_MALFORMED) break;
        if (kind == ARRAY_END) {
            MUST(opened == closed && opened > 0);
            break;
        }
        opened += kind == ARRAY_OPEN;
        closed += kind == ARRAY_CLOSE;
        if (kind == ARRAY_VALUE) unescape(&token, bytes, size);
    }
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
