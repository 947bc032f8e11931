#include "row_count.h"

#include "../messages/command_tag.h"
#include "../../trunk/core/protocol_error.h"

static void compare(bool equal, const row_count_t *count, long long told) {
    if (!equal) protocol_error("%llu DataRows came where the tag of CommandComplete counts %lld", (unsigned long long)count->rows, told);
}

void row_count_check(const row_count_t *count, long long told) {
    if (told < 0) return;
    compare(count->rows == (uint64_t)told || count->earlier + count->rows == (uint64_t)told, count, told);
}

void row_count_check_script(const row_count_t *count, bool described, const char *tag, size_t length, long long told) {
    if (command_tag_changes_rows(tag, length)) return;
    if (count->several) protocol_error("RowDescription within the rows of a command that has one result");
    if (described && told >= 0) compare(count->rows == (uint64_t)told, count, told);
}
