/* What a statement asks of the session that it runs in, and what it is found by. */
#ifndef TRUNKLINE_CLASSIFICATION_H
#define TRUNKLINE_CLASSIFICATION_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of what they allow. */
typedef enum {
    CLASS_SHAREABLE,   /* leaves nothing behind, whatever else is in its transaction */
    CLASS_ALONE,       /* leaves nothing behind, and refuses to run within a transaction, or may end one */
    CLASS_TRANSACTION, /* begins or ends a transaction */
    CLASS_SAVEPOINT,   /* sets a savepoint, goes back to it or gives it up */
    CLASS_SETTING,     /* changes settings */
    CLASS_SESSION,     /* leaves other state in the session, or relies on some */
    CLASS_LISTEN,      /* listens to a channel, or stops it */
    CLASS_COPY,        /* sends rows to the client, or takes them from it */
    CLASS_SCRIPT,      /* is several statements */
    CLASS_UNKNOWN,     /* is nothing known */
} statement_class_t;

/* How SQL reaches what changes the session. */
typedef enum {
    REACHED_BY_CALL,     /* of a function */
    REACHED_BY_NAME,     /* of a table, view or type, wherever it stands */
    REACHED_BY_WRITING,  /* to a table or view of that name */
    REACHED_BY_OPERATOR, /* of that name */
    REACHED_BY_COMMAND,  /* that defines something, whatever its name */
} reached_t;

/* What the user, or the server's catalogue, says has effects on the session; names are as the server knows them. */
typedef struct {
    const char *schema; /* NULL: in any */
    size_t schema_length;
    const char *name;
    size_t name_length;
    reached_t by;
    bool for_good; /* the effects end with the server session alone */
} state_keeper_t;

typedef struct {
    statement_class_t class;
    size_t at, length; /* of the word in the SQL that decided it */
    bool time_dependent;    /* has a constant such as 'now', which means something else each time it is parsed: not to be kept prepared */
    bool sets_locally; /* shareable as a transaction of its own; within another one it changes what SQL means there */
    bool keeps_state;      /* uses one of the keepers of state: its text does not tell all that it does */
    bool for_good;     /* one of these whose effects nothing undoes */
} classification_t;

#endif
