/* Any text has a classification, which stays the same when blanks are put around it, and takes time in proportion to its length. */
#include "fuzz.h"
#include "postgres/sql/scanner.h"
#include "postgres/sql/classify.h"

static const state_keeper_t keepers[] = {
    {.schema = "s", .schema_length = 1, .name = "f", .name_length = 1}, {.name = "set", .name_length = 3},
    {.schema = "s", .schema_length = 1, .name = "t", .name_length = 1, .by = REACHED_BY_NAME, .for_good = true},
    {.name = "r", .name_length = 1, .by = REACHED_BY_WRITING}, {.name = "+", .name_length = 1, .by = REACHED_BY_OPERATOR},
    {.name = "", .by = REACHED_BY_COMMAND},
};

static classification_t classified(const char *sql, size_t length) {
    classification_t classification = classify(sql, length, keepers, sizeof keepers / sizeof *keepers);
    MUST(classification.class >= CLASS_SHAREABLE && classification.class <= CLASS_UNKNOWN);
    MUST(classification.at <= length && classification.length <= length - classification.at);
    return classification;
}

/* As many tokens as bytes at most, each behind the one before. Is the text whole? */
static bool scan(const char *sql, size_t length) {
    scanner_t scanner = scanner_of(sql, length);
    token_t token;
    const char *from = sql;
    for (size_t steps = 0;; steps++) {
        scanner_next(&scanner, &token);
        MUST(steps <= length && token.start >= from && token.length <= (size_t)(sql + length - token.start));
        MUST(token.name_length <= NAME_MOST);
        if (token.kind == TOKEN_END || token.kind == TOKEN_BROKEN) return token.kind == TOKEN_END;
        MUST(token.length > 0);
        from = token.start + token.length;
    }
}

static void classify_long(const char *sql, size_t length) { classified(sql, length); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char before[] = "/*/**/*/\f-- '\r", after[] = "\n;--";
    size_t head = sizeof before - 1, tail = sizeof after - 1;
    char *sql = exact_copy(data, size), *padded = malloc(head + size + tail);
    MUST(padded);
    memcpy(padded, before, head);
    if (size > 0) memcpy(padded + head, data, size);
    memcpy(padded + head + size, after, tail);
    bool whole = scan(sql, size);
    classification_t classification = classified(sql, size);
    MUST(whole || classification.class == CLASS_UNKNOWN);
    if (whole) MUST(classified(padded, head + size + tail).class == classification.class);
    free(padded);
    free(sql);
    must_be_linear(data, size, classify_long);
    return 0;
}
