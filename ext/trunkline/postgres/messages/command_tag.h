/* Parses CommandComplete's tag. */
#ifndef TRUNKLINE_COMMAND_TAG_H
#define TRUNKLINE_COMMAND_TAG_H

#include <stdbool.h>
#include <stddef.h>

/* The number of rows at the end of a tag such as "INSERT 0 5"; -1 without one, as in "CREATE TABLE". */
long long command_tag_rows(const char *tag, size_t length);

/* Whether the tag is ROLLBACK, as that of COMMIT is if the transaction had failed. */
bool command_tag_rolled_back(const char *tag, size_t length);

/* Whether the tag shows that the command has left state in its session. */
bool command_tag_shows_state(const char *tag, size_t length);

/* Whether it is the tag of INSERT, UPDATE, DELETE or MERGE. */
bool command_tag_changes_rows(const char *tag, size_t length);

typedef enum {
    COMMAND_AS_ANY,
    COMMAND_FORGETS_STATEMENTS, /* the session has no prepared statements any more */
    COMMAND_DEFINES,            /* something new, which may keep state, and which prepared statements may refer to by name: a function, a cast, a trigger, ... */
    COMMAND_CHANGES_SCHEMA,     /* statements that any session has prepared may return something else from now on */
} command_effect_t;

/* The effect of a command with this tag on prepared statements. */
command_effect_t command_tag_effect(const char *tag, size_t length);

#endif
