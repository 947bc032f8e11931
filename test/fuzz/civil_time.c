/* Dates and times: any text is taken or refused, never read past its end, and what is taken lies in its range. */
#include "fuzz.h"
#include "postgres/types/civil_time.h"

/* Years that the server knows, with room for what it does not. */
#define MOST_DAYS (INT64_C(366) * 10000000)

static void read_long(const char *bytes, size_t size) {
    int64_t number;
    int32_t offset;
    civil_parse_date(bytes, size, &number);
    civil_parse_time(bytes, size, &number);
    civil_parse_time_zone(bytes, size, &number, &offset);
    civil_parse_timestamp(bytes, size, false, &number);
    civil_parse_timestamp(bytes, size, true, &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    int64_t days = 0, microseconds = 0;
    int32_t offset = 0;
    if (civil_parse_date(bytes, size, &days) == CIVIL_OK) MUST(days > -MOST_DAYS && days < MOST_DAYS);
    if (civil_parse_time(bytes, size, &microseconds) == CIVIL_OK) MUST(microseconds >= 0 && microseconds <= CIVIL_DAY);
    if (civil_parse_time_zone(bytes, size, &microseconds, &offset) == CIVIL_OK) {
        MUST(microseconds >= 0 && microseconds <= CIVIL_DAY && offset > -200000 && offset < 200000);
    }
    int64_t here = 0, utc = 0;
    bool plain = civil_parse_timestamp(bytes, size, false, &here) == CIVIL_OK;
    bool zoned = civil_parse_timestamp(bytes, size, true, &utc) == CIVIL_OK;
    MUST(!(plain && zoned));
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
