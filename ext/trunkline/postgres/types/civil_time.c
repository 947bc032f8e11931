#include "civil_time.h"

#include <string.h>

enum { YEAR_DIGITS_MIN = 4, YEAR_DIGITS_MAX = 7, OFFSET_HOURS_MAX = 15 };

typedef struct {
    const char *at, *end;
} text_t;

typedef struct {
    int64_t year;
    int month, day;
} date_t;

static bool take_char(text_t *text, char expected) {
    if (text->at == text->end || *text->at != expected) return false;
    text->at++;
    return true;
}

/* Takes between min and max digits. */
static bool take_number(text_t *text, int min, int max, int64_t *value) {
    int count = 0;

    for (*value = 0; count < max && text->at < text->end && *text->at >= '0' && *text->at <= '9'; count++) {
        *value = *value * 10 + (*text->at++ - '0');
    }
    return count >= min;
}

static bool take_two_digits(text_t *text, int max, int *value) {
    int64_t number;

    if (!take_number(text, 2, 2, &number) || number > max) return false;
    *value = (int)number;
    return true;
}

static bool take_ymd(text_t *text, date_t *date) {
    return take_number(text, YEAR_DIGITS_MIN, YEAR_DIGITS_MAX, &date->year) && take_char(text, '-') &&
           take_two_digits(text, 12, &date->month) && take_char(text, '-') && take_two_digits(text, 31, &date->day);
}

/* There is no year 0 on the wire: the year before 1 is 1 BC. */
static bool take_era(text_t *text, date_t *date) {
    if (date->year == 0) return false;
    if (text->at == text->end) return true;
    if (!take_char(text, ' ') || !take_char(text, 'B') || !take_char(text, 'C')) return false;
    date->year = 1 - date->year;
    return text->at == text->end;
}

static bool is_leap(int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool date_exists(const date_t *date) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (date->month < 1 || date->day < 1) return false;
    return date->day <= lengths[date->month - 1] + (date->month == 2 && is_leap(date->year));
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Counted in years that begin in March, so that the leap day comes last. */
int64_t civil_days(int64_t year, int month, int day) {
    static const int days_before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
    static const int64_t march_0_to_2000 = 730425;
    int64_t y = month <= 2 ? year - 1 : year;

    return y * 365 + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) + days_before[month - 1] + day - 1 -
           march_0_to_2000;
}

/* "hh:mm:ss" and up to six digits after a point. */
static bool take_clock(text_t *text, int hours_max, int64_t *microseconds) {
    int hour, minute, second;

    if (!take_two_digits(text, hours_max, &hour) || !take_char(text, ':')) return false;
    if (!take_two_digits(text, 59, &minute) || !take_char(text, ':')) return false;
    if (!take_two_digits(text, 59, &second)) return false;
    *microseconds = ((hour * INT64_C(60) + minute) * 60 + second) * CIVIL_SECOND;

    if (take_char(text, '.')) {
        const char *start = text->at;
        int64_t fraction;

        if (!take_number(text, 1, 6, &fraction)) return false;
        for (int digits = (int)(text->at - start); digits < 6; digits++) fraction *= 10;
        *microseconds += fraction;
    }
    return true;
}

/* "+hh", "+hh:mm" or "+hh:mm:ss". */
static bool take_offset(text_t *text, int32_t *offset) {
    int hours, minutes = 0, seconds = 0;
    bool west = take_char(text, '-');

    if (!west && !take_char(text, '+')) return false;
    if (!take_two_digits(text, OFFSET_HOURS_MAX, &hours)) return false;
    if (take_char(text, ':')) {
        if (!take_two_digits(text, 59, &minutes)) return false;
        if (take_char(text, ':') && !take_two_digits(text, 59, &seconds)) return false;
    }
    *offset = (hours * 60 + minutes) * 60 + seconds;
    if (west) *offset = -*offset;
    return true;
}

static civil_status_t parse_infinity(const char *bytes, size_t length) {
    if (length == 8 && memcmp(bytes, "infinity", 8) == 0) return CIVIL_INFINITY;
    if (length == 9 && memcmp(bytes, "-infinity", 9) == 0) return CIVIL_MINUS_INFINITY;
    return CIVIL_MALFORMED;
}

civil_status_t civil_parse_date(const char *bytes, size_t length, int64_t *days) {
    text_t text = {bytes, bytes + length};
    date_t date;

    if (!take_ymd(&text, &date)) return parse_infinity(bytes, length);
    if (!take_era(&text, &date) || !date_exists(&date)) return CIVIL_MALFORMED;
    *days = civil_days(date.year, date.month, date.day);
    return CIVIL_OK;
}

civil_status_t civil_parse_timestamp(const char *bytes, size_t length, bool zone, int64_t *microseconds) {
    text_t text = {bytes, bytes + length};
    date_t date;
    int64_t clock;
    int32_t offset = 0;

    if (!take_ymd(&text, &date)) return parse_infinity(bytes, length);
    if (!take_char(&text, ' ') || !take_clock(&text, 23, &clock)) return CIVIL_MALFORMED;
    if (zone && !take_offset(&text, &offset)) return CIVIL_MALFORMED;
    if (!take_era(&text, &date) || !date_exists(&date)) return CIVIL_MALFORMED;

    clock -= offset * CIVIL_SECOND;
    if (__builtin_mul_overflow(civil_days(date.year, date.month, date.day), CIVIL_DAY, microseconds) ||
        __builtin_add_overflow(*microseconds, clock, microseconds)) {
        return CIVIL_MALFORMED;
    }
    return CIVIL_OK;
}

static bool take_time_of_day(text_t *text, int64_t *microseconds) {
    return take_clock(text, 24, microseconds) && *microseconds <= CIVIL_DAY;
}

civil_status_t civil_parse_time(const char *bytes, size_t length, int64_t *microseconds) {
    text_t text = {bytes, bytes + length};

    return take_time_of_day(&text, microseconds) && text.at == text.end ? CIVIL_OK : CIVIL_MALFORMED;
}

civil_status_t civil_parse_time_zone(const char *bytes, size_t length, int64_t *microseconds, int32_t *offset) {
    text_t text = {bytes, bytes + length};
    bool whole = take_time_of_day(&text, microseconds) && take_offset(&text, offset) && text.at == text.end;

    return whole ? CIVIL_OK : CIVIL_MALFORMED;
}
