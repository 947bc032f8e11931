#include "row_count.h"

#include "../messages/command_tag.h"
#include "../../trunk/runtime/protocol_error.h"

static void compare(bool equal, const row_count_t *count, long long tag_rows) {
    if (!equal) protocol_error("%llu DataRows came where the tag of CommandComplete counts %lld", (unsigned long long)count->rows, tag_rows);
}

void row_count_check(const row_count_t *count, long long tag_rows) {
    if (tag_rows < 0) return;
    compare(count->rows == (uint64_t)tag_rows || count->earlier + count->rows == (uint64_t)tag_rows, count, tag_rows);
}

void row_count_check_script(const row_count_t *count, bool described, const char *tag, size_t length, long long tag_rows) {
    if (command_tag_changes_rows(tag, length)) return;
    if (count->several) protocol_error("RowDescription within the rows of a command that has one result");
    if (described && tag_rows >= 0) compare(count->rows == (uint64_t)tag_rows, count, tag_rows);
}
