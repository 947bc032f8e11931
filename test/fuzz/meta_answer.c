/* An answer lies within its bytes, is the same whatever follows it, and is not whole before its last byte has come. */
#include "fuzz.h"
#include "memcached/meta_answer.h"

#define LIMIT 1000

static void within(meta_text_t text, const char *bytes, size_t count) {
    MUST(text.length == 0 || (text.bytes >= bytes && text.bytes + text.length <= bytes + count));
}

static void partial_before(const char *bytes, size_t size) {
    meta_answer_t answer;
    for (size_t count = 0; count < size; count++) {
        char *cut = exact_copy(bytes, count);
        meta_status_t status = meta_answer_read(cut, count, LIMIT, &answer);
        MUST(status == META_PARTIAL && answer.size > count && answer.size <= size);
        free(cut);
    }
}

static void read_long(const char *bytes, size_t size) {
    meta_answer_t answer;
    for (size_t at = 0; meta_answer_read(bytes + at, size - at, LIMIT, &answer) == META_WHOLE;) at += answer.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    meta_answer_t answer;
    size_t at = 0;
    while (meta_answer_read(bytes + at, size - at, LIMIT, &answer) == META_WHOLE) {
        MUST(answer.size >= 4 && answer.size <= size - at);
        within(answer.line, bytes + at, answer.size);
        within(answer.value, bytes + at, answer.size);
        MUST(answer.value.length <= LIMIT && (answer.code == META_VALUE || answer.value.length == 0));
        partial_before(bytes + at, answer.size);
        at += answer.size;
    }
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
