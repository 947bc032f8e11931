/* What a statement needs of, and leaves in, the session that it runs in, and the word that shows it. */
#ifndef TRUNKLINE_CLASSIFICATION_H
#define TRUNKLINE_CLASSIFICATION_H

#include <stdbool.h>
#include <stddef.h>

/* From those that may be shared to those that may not. */
typedef enum {
    CLASS_SHAREABLE,   /* leaves nothing behind, whatever else is in its transaction */
    CLASS_ALONE,       /* leaves nothing behind, and refuses to run within a transaction, or may end one */
    CLASS_TRANSACTION, /* begins or ends a transaction */
    CLASS_SAVEPOINT,   /* sets a savepoint, returns to it or releases it */
    CLASS_SETTING,     /* changes settings */
    CLASS_SESSION,     /* leaves other state in the session, or relies on it */
    CLASS_LISTEN,      /* LISTEN and UNLISTEN */
    CLASS_COPY,        /* COPY to or from the client */
    CLASS_SCRIPT,      /* several statements */
    CLASS_UNKNOWN,     /* not recognised */
} statement_class_t;

/* How SQL refers to an object that changes the session. */
typedef enum {
    REACHED_BY_CALL,     /* a call of the function */
    REACHED_BY_NAME,     /* the name of a table, view or type, anywhere */
    REACHED_BY_WRITING,  /* writing to the table or view */
    REACHED_BY_OPERATOR, /* the operator */
    REACHED_BY_COMMAND,  /* any command that defines something */
} reached_t;

/* An object that, according to the user or the server's catalogue, changes the session; names are as in the catalogue. */
typedef struct {
    const char *schema; /* NULL: in any */
    size_t schema_length;
    const char *name;
    size_t name_length;
    reached_t by;
    bool for_good; /* only the end of the server session undoes the effects */
} state_keeper_t;

typedef struct {
    statement_class_t class;
    size_t at, length; /* of the word in the SQL that has decided the class */
    bool time_dependent;    /* has a constant such as 'now', which means something else each time it is parsed, so it is not kept prepared */
    bool sets_locally; /* shareable as a transaction of its own; within another one it changes what SQL means there */
    bool keeps_state;      /* uses a state keeper: its text does not show all its effects */
    bool for_good;     /* uses one whose effects only the end of the session undoes */
} classification_t;

#endif
