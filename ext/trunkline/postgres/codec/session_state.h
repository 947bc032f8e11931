/* What one server session is in the middle of: requests in order, and the statements it knows. */
#ifndef TRUNKLINE_SESSION_STATE_H
#define TRUNKLINE_SESSION_STATE_H

#include <ruby.h>
#include <stdbool.h>
#include "../../trunk/core/codec_base.h"
#include "plan_epoch.h"
#include "postgres_request.h"
#include "prepared.h"

typedef struct {
    codec_base_t base;     /* its farewell is the body of an ErrorResponse */
    VALUE *slots;          /* Prepared by Statement#slot, or nil */
    uint32_t slot_count;
    char prefix[STATEMENT_PREFIX_SIZE]; /* of the statements' names, ended by a zero byte */
    uint64_t names;        /* statements named so far: a name never comes twice */
    VALUE epochs;          /* PlanEpoch */
    plan_epoch_t *epoch;   /* the same */
    VALUE closing;         /* Array of Prepared whose names the server may forget */
    VALUE own_units;       /* Array of what is awaited by the units in flight that are the codec's own, see own_unit.h */
    VALUE parameters;      /* Hash of what ParameterStatus told */
    VALUE notifications;   /* Array of NotificationResponse bodies that have not been taken, the latest ones */
    size_t message_limit;  /* bytes */
    size_t unrequested_limit; /* bytes of notices of one answer, of notifications, and of reported settings */
    size_t notification_bytes, parameter_bytes;
    bool notifications_left_out; /* since some were last taken */
    size_t notices_in_row; /* notices since the last message of another type that answers something */
    size_t skipping;       /* bytes to come of a message that is not taken in */
    bool exclusive;        /* one caller's own: may be in a transaction */
    bool cancelling;       /* a cancel may hit whatever is in flight */
    bool limits;           /* knows the statement that limits the next one's time */
    uint8_t guards;        /* knows the guards of these numbers, a bit each, see read_guard.h */
    bool refused_write;    /* the server has said that a transaction, or itself, is read-only */
    bool pooled;           /* a pooler may have another server process run what was prepared here, which has prepared it anew then */
    VALUE given;           /* Hash of what ParameterStatus told when no request had been made yet, or on the server's own account */
    bool reported;         /* a setting came with the answer that is being read, or since the session is one caller's own */
    bool recoded;          /* client_encoding is not UTF-8 */
    bool in_block;         /* a transaction was open when the last answer was complete */
    uint64_t parse_context; /* in which SQL is read, see parse_context.h; 0 unless the caller that the session is leased to has changed it */
    uint64_t own_plans;    /* in which functions' plans are to be made then */
    uint64_t plans;        /* in which those that the server keeps were made */
    bool context_announced; /* what the unit in flight changes, `parse_context` stands for already */
    bool schema_changed;   /* in the transaction that is open: others see it when that is committed */
    bool defined;          /* the same of what is new, and changes nothing that was prepared */
    bool numbers;          /* the last numbers of sequences that others have drawn are to be forgotten before the next unit */
    bool betrayed;         /* a command's tag did not belong on a shared session */
    bool leaked;           /* shared, and yet something was left behind */
    bool halted;           /* what comes next is not taken in: it has leaked, or the caller has its portion of the rows */
} session_state_t;

/* What the session knows of a statement in the present epoch: its Prepared, or nil. */
VALUE slots_find(session_state_t *session, VALUE statement, uint32_t slot);

/* The session knows the statement of this slot by this Prepared from now on, and holds it. */
void slots_put(session_state_t *session, uint32_t slot, VALUE prepared);

/* This is not bound any more; the server is told to forget it with the next request. */
void slots_drop(session_state_t *session, VALUE prepared);

/* The server has forgotten them all. */
void slots_forget(session_state_t *session);

#endif
