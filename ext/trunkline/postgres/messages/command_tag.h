/* Reads CommandComplete's tag. */
#ifndef TRUNKLINE_COMMAND_TAG_H
#define TRUNKLINE_COMMAND_TAG_H

#include <stdbool.h>
#include <stddef.h>

/* The number of rows a tag such as "INSERT 0 5" ends with; -1 when it ends with none, as in "CREATE TABLE". */
long long command_tag_rows(const char *tag, size_t length);

/* Does COMMIT's tag say that the transaction was rolled back, because it had failed? */
bool command_tag_rolled_back(const char *tag, size_t length);

/* Does the tag say that the command has left something in its session? */
bool command_tag_betrays_state(const char *tag, size_t length);

/* Is it of INSERT, UPDATE, DELETE or MERGE? */
bool command_tag_changes_rows(const char *tag, size_t length);

typedef enum {
    COMMAND_AS_ANY,
    COMMAND_FORGETS_STATEMENTS, /* the session has no prepared statements any more */
    COMMAND_DEFINES,            /* something new, which may keep state where it is used, and be meant by what is prepared already: a function, a cast, a trigger, ... */
    COMMAND_CHANGES_SCHEMA,     /* what any session has prepared may return something else from now on */
} command_effect_t;

/* What a command with this tag has done to prepared statements. */
command_effect_t command_tag_effect(const char *tag, size_t length);

#endif
