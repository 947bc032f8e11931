#include "interval_text.h"

#include <stdbool.h>
#include <string.h>

enum { NUMBER_DIGITS_MAX = 10 }; /* of the hours in 2^63 microseconds, 2562047788 */

typedef struct {
    const char *at, *end;
} text_t;

static bool take_char(text_t *text, char expected) {
    if (text->at == text->end || *text->at != expected) return false;
    text->at++;
    return true;
}

static bool take_word(text_t *text, const char *word) {
    size_t length = strlen(word);

    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) return false;
    text->at += length;
    return true;
}

static bool take_number(text_t *text, int min, int max, int64_t *value) {
    int count = 0;

    for (*value = 0; count < max && text->at < text->end && *text->at >= '0' && *text->at <= '9'; count++) {
        *value = *value * 10 + (*text->at++ - '0');
    }
    return count >= min;
}

static bool take_two_digits(text_t *text, int64_t *value) {
    return take_number(text, 2, 2, value) && *value <= 59;
}

/* Reads minutes, seconds and fraction behind the hours; the sign applies to all of them. */
static bool take_clock(text_t *text, int64_t hours, bool negative, int64_t *microseconds) {
    int64_t minutes, seconds, fraction = 0, whole;

    if (!take_two_digits(text, &minutes) || !take_char(text, ':') || !take_two_digits(text, &seconds)) return false;
    if (take_char(text, '.')) {
        const char *start = text->at;
        if (!take_number(text, 1, 6, &fraction)) return false;
        for (int digits = (int)(text->at - start); digits < 6; digits++) fraction *= 10;
    }
    /* Hours have ten digits at most, so that only microseconds can overflow. */
    whole = (hours * 60 + minutes) * 60 + seconds;
    if (negative) whole = -whole, fraction = -fraction;
    return !__builtin_mul_overflow(whole, INT64_C(1000000), microseconds) &&
           !__builtin_add_overflow(*microseconds, fraction, microseconds);
}

static bool add(int32_t *sum, int64_t value, int32_t factor) {
    return !__builtin_mul_overflow(value, (int64_t)factor, &value) && !__builtin_add_overflow(*sum, value, sum);
}

static bool take_unit(text_t *text, int64_t value, interval_parts_t *parts) {
    bool taken;

    if (take_word(text, "year")) taken = add(&parts->months, value, 12);
    else if (take_word(text, "mon")) taken = add(&parts->months, value, 1);
    else if (take_word(text, "day")) taken = add(&parts->days, value, 1);
    else return false;
    (void)take_char(text, 's');
    return taken;
}

/* One of "1 year", "-2 mons", "+3 days", "-04:05:06.789". */
static bool take_field(text_t *text, interval_parts_t *parts) {
    bool negative = take_char(text, '-');
    int64_t number;

    if (!negative) (void)take_char(text, '+');
    if (!take_number(text, 1, NUMBER_DIGITS_MAX, &number)) return false;
    if (take_char(text, ':')) return take_clock(text, number, negative, &parts->microseconds) && text->at == text->end;
    return take_char(text, ' ') && take_unit(text, negative ? -number : number, parts);
}

interval_status_t interval_parse(const char *bytes, size_t length, interval_parts_t *parts) {
    text_t text = {bytes, bytes + length};

    if (length == 8 && memcmp(bytes, "infinity", 8) == 0) return INTERVAL_INFINITY;
    if (length == 9 && memcmp(bytes, "-infinity", 9) == 0) return INTERVAL_MINUS_INFINITY;
    memset(parts, 0, sizeof *parts);
    do {
        if (!take_field(&text, parts)) return INTERVAL_MALFORMED;
    } while (take_char(&text, ' '));
    return text.at == text.end ? INTERVAL_OK : INTERVAL_MALFORMED;
}
