#include "meta_answer.h"

#include <string.h>

#define LONGEST_NUMBER 20 /* digits */

typedef struct {
    const char *word;
    meta_code_t code;
} word_t;

static const word_t words[] = {
    {"VA", META_VALUE},         {"HD", META_DONE},       {"EN", META_MISS},          {"NF", META_NOT_FOUND},
    {"NS", META_NOT_STORED},    {"EX", META_EXISTS},     {"MN", META_NOOP},          {"STAT", META_STATISTIC},
    {"END", META_END},          {"OK", META_OTHER},      {"RESET", META_OTHER},      {"VERSION", META_OTHER},
    {"ERROR", META_ERROR},      {"CLIENT_ERROR", META_ERROR}, {"SERVER_ERROR", META_ERROR},
};

/* The next word of a line, and where the rest begins. */
static meta_text_t next_word(meta_text_t *rest) {
    while (rest->length > 0 && *rest->bytes == ' ') rest->bytes++, rest->length--;
    meta_text_t word = {rest->bytes, 0};
    while (word.length < rest->length && word.bytes[word.length] != ' ') word.length++;
    rest->bytes += word.length;
    rest->length -= word.length;
    return word;
}

static bool read_code(meta_text_t word, meta_code_t *code) {
    for (size_t at = 0; at < sizeof words / sizeof *words; at++) {
        if (strlen(words[at].word) != word.length || memcmp(words[at].word, word.bytes, word.length) != 0) continue;
        *code = words[at].code;
        return true;
    }
    return false;
}

static bool read_number(meta_text_t digits, uint64_t most, uint64_t *number) {
    if (digits.length == 0 || digits.length > LONGEST_NUMBER) return false;
    *number = 0;
    for (size_t at = 0; at < digits.length; at++) {
        unsigned char digit = (unsigned char)(digits.bytes[at] - '0');
        if (digit > 9 || *number > (most - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static bool read_small_number(meta_text_t digits, uint32_t *number) {
    uint64_t large;
    if (!read_number(digits, UINT32_MAX, &large)) return false;
    *number = (uint32_t)large;
    return true;
}

static bool read_remaining(meta_text_t digits, int64_t *seconds) {
    *seconds = -1;
    if (digits.length == 2 && memcmp(digits.bytes, "-1", 2) == 0) return true;
    uint32_t number;
    if (!read_small_number(digits, &number)) return false;
    *seconds = number;
    return true;
}

static bool read_bit(meta_text_t digit, bool *bit) {
    *bit = digit.length == 1 && *digit.bytes == '1';
    return digit.length == 1 && (*digit.bytes == '0' || *digit.bytes == '1');
}

/* Skips unknown flags. */
static bool read_flag(meta_text_t flag, meta_answer_t *answer) {
    meta_text_t token = {flag.bytes + 1, flag.length - 1};
    switch (*flag.bytes) {
    case 'f': return read_small_number(token, &answer->flags);
    case 'c': return read_number(token, UINT64_MAX, &answer->cas);
    case 'l': return read_small_number(token, &answer->last_access);
    case 't': return read_remaining(token, &answer->remaining);
    case 'h': return read_bit(token, &answer->hit_before);
    case 'O': return answer->numbered = read_small_number(token, &answer->opaque);
    case 'W': return answer->won = true;
    case 'Z': return answer->lost = true;
    case 'X': return answer->stale = true;
    default: return true;
    }
}

static bool read_flags(meta_text_t rest, meta_answer_t *answer) {
    for (meta_text_t flag = next_word(&rest); flag.length > 0; flag = next_word(&rest)) {
        if (!read_flag(flag, answer)) return false;
    }
    return true;
}

static bool has_flags(meta_code_t code) { return code <= META_EXISTS; }

/* The block behind a VA line, whose length is the line's second word. */
static meta_status_t read_block(const char *bytes, size_t count, size_t limit, uint64_t length, meta_answer_t *answer) {
    if (length > limit) return META_TOO_LONG;
    size_t line_size = answer->size;
    answer->size = line_size + (size_t)length + 2;
    if (count < answer->size) return META_PARTIAL;
    answer->value = (meta_text_t){bytes + line_size, (size_t)length};
    return memcmp(bytes + line_size + length, "\r\n", 2) == 0 ? META_WHOLE : META_BROKEN;
}

meta_status_t meta_answer_read(const char *bytes, size_t count, size_t limit, meta_answer_t *answer) {
    *answer = (meta_answer_t){.size = count + 1};
    size_t within = count < META_LONGEST_LINE ? count : META_LONGEST_LINE;
    const char *end = within > 0 ? memchr(bytes, '\n', within) : NULL;
    if (!end) return count < META_LONGEST_LINE ? META_PARTIAL : META_BROKEN;
    if (end == bytes || end[-1] != '\r') return META_BROKEN;
    answer->line = (meta_text_t){bytes, (size_t)(end - bytes) - 1};
    answer->size = answer->line.length + 2;
    meta_text_t rest = answer->line;
    if (!read_code(next_word(&rest), &answer->code)) return META_BROKEN;
    uint64_t length = 0;
    if (answer->code == META_VALUE && !read_number(next_word(&rest), SIZE_MAX / 2, &length)) return META_BROKEN;
    if (has_flags(answer->code) && !read_flags(rest, answer)) return META_BROKEN;
    return answer->code == META_VALUE ? read_block(bytes, count, limit, length, answer) : META_WHOLE;
}
