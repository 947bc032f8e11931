/* Whatever comes in whatever order: an answer is taken in exactly as it was asked for, written out here as one text for each request. */
#include "fuzz.h"
#include "postgres/messages/answer_order.h"
#include "postgres/sql/checked_result.h"

#define MOST_MESSAGES 256

/* What the messages that were taken must look like: runs of these characters in order. '*': any number of 'D'; '!': one of C, I and,
 * where rows are fetched, s; '?': one of T and n. */
static size_t expectation(const answer_order_t *asked, char *out) {
    size_t at = 0;
    for (uint32_t count = 0; count < asked->preamble; count++) {
        if (!asked->guarded || count + 1 < asked->preamble) out[at++] = '1';
        memcpy(out + at, "2*!", 3);
        at += 3;
    }
    if (asked->parses) out[at++] = '1';
    if (asked->parses && asked->parses_check) out[at++] = '1';
    if (asked->describes) out[at++] = 't', out[at++] = '?';
    if (asked->checks) out[at++] = 't', out[at++] = '?';
    if (asked->checks_types) out[at++] = '2', out[at++] = '*', out[at++] = 'C';
    if (asked->limited) out[at++] = '2', out[at++] = '*', out[at++] = 'C';
    if (asked->executes) out[at++] = '2';
    if (asked->executes && asked->describes_portal) out[at++] = '?';
    if (asked->executes) out[at++] = '*', out[at++] = asked->fetches ? 'f' : '!';
    return at;
}

static bool matches(char expected, char type) {
    switch (expected) {
    case '!': return type == 'C' || type == 'I';
    case 'f': return type == 'C' || type == 'I' || type == 's';
    case '?': return type == 'T' || type == 'n';
    default: return type == expected;
    }
}

static void read_long(const char *bytes, size_t size) { has_checked_result(bytes, size); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input_t input = {data, data + size};
    uint8_t asks = input_byte(&input), more = input_byte(&input);
    answer_order_t order = {
        .preamble = asks & 3, .parses = asks & 4, .describes = asks & 8, .limited = asks & 16, .executes = asks & 32,
        .describes_portal = asks & 64, .fetches = asks & 128, .guarded = more & 1, .parses_check = more & 2, .checks = more & 4, .checks_types = more & 8,
    };
    char expected[32];
    size_t length = expectation(&order, expected), at = 0;
    answer_order_begin(&order);
    for (size_t count = 0; count < MOST_MESSAGES && input_left(&input) > 0; count++) {
        char type = (char)input_byte(&input);
        bool row = at < length && expected[at] == '*';
        size_t next = at + row;
        bool fits = next < length && matches(expected[next], type), taken = answer_order_take(&order, type) != PART_UNEXPECTED;
        MUST(taken == ((row && type == 'D') || fits));
        if (taken && !(row && type == 'D')) at = next + 1;
        MUST(answer_order_is_complete(&order) == (at == length));
    }
    answer_order_fail(&order);
    MUST(answer_order_is_complete(&order) && answer_order_take(&order, 'D') == PART_UNEXPECTED);
    char *sql = exact_copy(data, size);
    has_checked_result(sql, size);
    free(sql);
    must_be_linear(data, size, read_long);
    return 0;
}
