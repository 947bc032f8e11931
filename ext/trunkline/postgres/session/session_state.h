/* The state of one server session: requests in flight, prepared statements, settings. */
#ifndef TRUNKLINE_SESSION_STATE_H
#define TRUNKLINE_SESSION_STATE_H

#include <ruby.h>
#include <stdbool.h>
#include "../../trunk/connection/codec_base.h"
#include "../statements/plan_epoch.h"
#include "postgres_request.h"
#include "../statements/prepared.h"

typedef struct {
    codec_base_t base;     /* its closing_error is the body of an ErrorResponse */
    VALUE *slots;          /* Prepared objects by Statement#slot, or nil */
    uint32_t slot_count;
    char prefix[STATEMENT_PREFIX_SIZE]; /* first bytes of statements' names, ended by a zero byte */
    uint64_t name_count;   /* statements named so far: a name is never used twice */
    VALUE epochs;          /* PlanEpoch */
    plan_epoch_t *epoch;   /* its struct */
    VALUE closing;         /* Array of Prepared to close with the next request */
    VALUE own_units;       /* Array of what the codec's own units in flight await, see own_unit.h */
    VALUE parameters;      /* Hash of reported settings (ParameterStatus) */
    VALUE notifications;   /* Array of the latest NotificationResponse bodies that were not taken */
    size_t message_limit;  /* bytes */
    size_t unrequested_limit; /* bytes of notices of one answer, of notifications, and of reported settings */
    size_t notification_bytes, parameter_bytes;
    bool notifications_left_out; /* some were dropped since the last ones were taken */
    size_t notices_in_row; /* notices since the last message of another type that answers a request */
    size_t skipping;       /* bytes still to come of a message that is skipped */
    bool exclusive;        /* reserved for one caller: may be in a transaction */
    bool cancelling;       /* a cancel may hit any request in flight */
    bool type_checks;      /* the statement that compares the types of parameters is prepared, see types_check.h */
    bool untyped;          /* the server refuses to execute it */
    bool limits;           /* the statement that sets the next one's timeout is prepared */
    uint8_t guards;        /* a bit for each guard that is prepared, see read_guard.h */
    bool refused_write;    /* the server has refused a statement as a transaction, or the server, is read-only */
    bool pooled;           /* a pooler may have another server process execute statements that were prepared here */
    VALUE initial_parameters; /* Hash of settings that were reported without a request in flight */
    bool reported;         /* a setting was reported with the present answer, or since the session is reserved for one caller */
    bool not_utf8;         /* client_encoding is not UTF-8 */
    bool in_block;         /* a transaction was open at the last ReadyForQuery */
    uint64_t parse_context; /* the context in which SQL is parsed, see parse_context.h; 0 unless the caller that the session is reserved for has changed it */
    uint64_t own_plans;    /* the context for functions' plans then */
    uint64_t plans;        /* the context in which the plans were made that functions keep */
    bool context_announced; /* `parse_context` already stands for what the unit in flight sets */
    bool schema_changed;   /* in the open transaction: others see it when that is committed */
    bool defined;          /* likewise by something new, which changes nothing that was prepared */
    bool discards_sequences; /* before the next unit the session's memory of sequences is discarded, as others have drawn from them */
    bool tag_shows_state;  /* a command's tag shows that it has left state on a shared session */
    bool leaked;           /* a statement has left something behind on the shared session */
    bool halted;           /* decoding has stopped: the session has leaked, or a portion of rows is full */
} session_state_t;

/* The statement's Prepared in the present epoch and context, or nil. */
VALUE slots_find(session_state_t *session, VALUE statement, uint32_t slot);

/* Stores the Prepared of this slot's statement. */
void slots_put(session_state_t *session, uint32_t slot, VALUE prepared);

/* The statement is not bound any more; it is closed with the next request. */
void slots_drop(session_state_t *session, VALUE prepared);

/* The server has lost all prepared statements. */
void slots_forget(session_state_t *session);

#endif
