#include "command_tag.h"

#include <stdbool.h>
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

/* A tag consists of a command's first words, and a number or more words. */
static bool is_of(const char *const *commands, size_t count, const char *tag, size_t length) {
    for (size_t at = 0; at < count; at++) {
        size_t size = strlen(commands[at]);
        if (length >= size && memcmp(tag, commands[at], size) == 0 && (length == size || tag[size] == ' ')) return true;
    }
    return false;
}

bool command_tag_shows_state(const char *tag, size_t length) {
    static const char *const commands[] = {"DEALLOCATE", "DECLARE CURSOR", "DISCARD", "DO", "LISTEN", "LOAD", "PREPARE", "RESET", "SET"};
    return is_of(commands, sizeof commands / sizeof *commands, tag, length);
}

bool command_tag_changes_rows(const char *tag, size_t length) {
    static const char *const commands[] = {"INSERT", "UPDATE", "DELETE", "MERGE"};
    return is_of(commands, sizeof commands / sizeof *commands, tag, length);
}

static bool begins(const char *tag, size_t length, const char *text) {
    return length >= strlen(text) && memcmp(tag, text, strlen(text)) == 0;
}

command_effect_t command_tag_effect(const char *tag, size_t length) {
    switch (length > 0 ? tag[0] : 0) {
    case 'A': return begins(tag, length, "ALTER ") ? COMMAND_CHANGES_SCHEMA : COMMAND_AS_ANY;
    case 'C': return begins(tag, length, "CREATE ") && !begins(tag, length, "CREATE TABLE AS") ? COMMAND_DEFINES : COMMAND_AS_ANY;
    case 'D':
        /* Its replacement may have other types, to which values would be cast without an error, and constants may refer to it, as 'name'::regrole
         * does. */
        if (begins(tag, length, "DROP ") && !begins(tag, length, "DROP INDEX")) return COMMAND_CHANGES_SCHEMA;
        return begins(tag, length, "DISCARD ALL") || begins(tag, length, "DEALLOCATE ALL") ? COMMAND_FORGETS_STATEMENTS : COMMAND_AS_ANY;
    default: return COMMAND_AS_ANY;
    }
}
