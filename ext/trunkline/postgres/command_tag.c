#include "command_tag.h"

#include <string.h>

#define LONGEST_COUNT 18 /* digits that always fit a long long */

long long command_tag_rows(const char *tag, size_t length) {
    size_t start = length;
    while (start > 0 && tag[start - 1] >= '0' && tag[start - 1] <= '9') start--;
    if (start == length || start == 0 || tag[start - 1] != ' ' || length - start > LONGEST_COUNT) return -1;
    long long rows = 0;
    for (size_t at = start; at < length; at++) rows = rows * 10 + (tag[at] - '0');
    return rows;
}

bool command_tag_rolled_back(const char *tag, size_t length) {
    static const char rollback[] = "ROLLBACK";
    return length == sizeof rollback - 1 && memcmp(tag, rollback, length) == 0;
}
