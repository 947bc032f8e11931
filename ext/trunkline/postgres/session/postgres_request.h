/* Trunkline::Postgres::Request: a request to a PostgreSQL server, and its answer. */
#ifndef TRUNKLINE_POSTGRES_REQUEST_H
#define TRUNKLINE_POSTGRES_REQUEST_H

#include "../messages/answer_order.h"
#include "row_count.h"
#include "unclaimed.h"
#include "../../trunk/requests/request.h"

typedef enum {
    REQUEST_QUERY,    /* Bind, Execute; before them Parse and Describe if the session has not prepared the statement */
    REQUEST_DESCRIBE, /* Parse, Describe */
    REQUEST_FENCE,    /* only Sync: answered when everything before it is */
    REQUEST_SCRIPT,   /* simple Query: several statements, with a result each */
    REQUEST_BATCH,    /* only Sync: the end of several queries, in the same flight or in one unit */
    REQUEST_FETCH,    /* Execute of a portal that an earlier query has left open */
    REQUEST_COPY,     /* simple Query: COPY from the client or to it */
} request_kind_t;

/* The messages that were appended for it, which depend on the session. submit.c writes it. */
typedef struct {
    VALUE prepared;     /* the session's Prepared of the statement, once submitted */
    size_t effect;      /* bytes of its unit before Bind, which has an effect with Execute */
    size_t effect_size; /* bytes of Bind and Execute; 0: they cannot be left out */
    bool parses;        /* has Parse of `prepared` */
    bool describes;     /* has Describe of the statement */
    bool checks_types;  /* has the query that compares the parameters' types, see types_check.h */
    bool types_declared; /* relies on the parameter types that the client remembers: its Parse declares them, or its values were converted for them */
    bool other_backend; /* a pooler may have another server process execute it than the one that prepared the statement */
    bool withdrawn;     /* its Bind and Execute were removed before they were sent */
} request_sent_t;

/* The answer so far. receive.c, and what it calls, writes it. */
typedef struct {
    VALUE description; /* of the rows */
    VALUE row;         /* the first one, or nil */
    VALUE rows;        /* Array of Arrays, made with the second row, or when a caller reads it */
    VALUE results;     /* of a script: Array of [description, rows, affected rows] */
    VALUE tag;         /* the command tag, UTF-8; nil: it is not kept, or has not come */
    VALUE notices;     /* String in the form that error_fields.h describes, or nil */
    VALUE error;       /* ErrorResponse body, or nil */
    VALUE unreadable;  /* why the answer cannot be given to the caller; or nil */
    long notices_left_out;
    long notices_yielded; /* bytes of the notices that were yielded to the caller */
    long long affected;   /* rows in the command tag, or -1 */
    row_count_t count;    /* its rows; of a script those of the present command */
    long unanswered;      /* members of an atomic batch that are not answered yet */
    answer_order_t order; /* which messages are still to come */
    char status;          /* of the transaction, from ReadyForQuery */
    bool binary;          /* rows come in binary format */
    bool typed;           /* ParameterDescription has come */
    bool bound;           /* BindComplete has come: from then on the statement may have had an effect */
    bool complete;        /* the command has ended */
    bool suspended;       /* there may be more rows to fetch */
    bool keeps_tag;       /* its caller wants the tag */
} request_answer_t;

/* What a statement has left behind on a session that others share. */
typedef enum {
    LEAK_NONE,
    LEAK_STATE,   /* a transaction, or what the command's tag shows */
    LEAK_SETTING, /* a reported setting, which may also have changed because a configuration was reloaded */
    LEAK_OF_UNIT, /* the statement, or another one of its unit, has left something behind */
} leak_t;

/* What follows from the answer, or from its absence, for the statement, the session and a retry. */
typedef struct {
    leak_t leak;          /* what its statement has left behind on a session that others share */
    VALUE altered;        /* Array of the setting's name and value, for LEAK_SETTING; or nil */
    bool undone;          /* of a batch's member: rolled back because of another member's error */
    bool rolled_back;     /* its tag is ROLLBACK, whatever its command was */
    bool outdated;        /* failed before BindComplete, perhaps because of what the client remembers of its statement */
    bool forgotten;       /* certainly outdated: the server has lost the statement, or its result has changed */
    bool cancelled;       /* a cancel request was sent for it, or is about to be */
    bool refused;         /* what runs before its statement has failed, so this has not run */
    bool bystander;       /* a cancel that was aimed at another request has hit it; it had no effect */
    bool changes_parse_context; /* statements behind it in its session may be parsed differently, see parse_context.h */
    bool changes_plans;   /* the plans that functions keep are outdated, too */
} request_outcome_t;

typedef struct {
    request_t base;
    request_kind_t kind;
    VALUE statement;
    VALUE parameters;  /* Array of values that bind.h can append */
    VALUE given;       /* the caller's values, where the parameters depend on the server's types; or nil */
    VALUE types;       /* Array of these types' OIDs, with `given`; or nil */
    VALUE script;      /* its SQL */
    VALUE decoding;    /* of a script: how its rows are decoded, from Decoding.of; nil: as usual */
    VALUE members;     /* of a batch: Array of Requests; or nil */
    VALUE preamble;    /* Array of SQL that the unit runs before the statement, all or nothing; or nil */
    VALUE guard;       /* the statement that fails on an unsuitable replica, run before its own, see read_guard.h; or nil */
    VALUE route;       /* a client with replicas stores here which hosts it was sent to; or nil */
    VALUE portal;      /* the name of a portal that stays open after `fetches` rows; or nil */
    uint32_t fetches;  /* rows of a portal to fetch at a time */
    bool unnamed;      /* prepared for this execution only */
    bool atomic;       /* of a batch: all in one unit, which is one transaction */
    bool reports_start; /* has a Flush behind Bind, so that the server reports when it begins with the statement */
    bool anew;         /* relies on nothing that is remembered of its statement */
    bool calls_nothing; /* its statement calls no function, so outdated plans of functions do no harm */
    unclaimed_t unclaimed; /* of a future: what its rows count for in UnclaimedAnswers */
    struct flow *flow; /* of a streamed answer or a COPY; or NULL */
    request_sent_t sent;
    request_answer_t answer;
    request_outcome_t outcome;
} postgres_request_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline postgres_request_t *postgres_request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* The struct of any object. Raises TypeError when it is no Postgres::Request. */
postgres_request_t *postgres_request_checked(VALUE object);

/* Request#repeatable? in Ruby: see there. */
bool postgres_request_is_repeatable(VALUE request);

/* A new request for the next rows of the portal that this request has left open. */
VALUE postgres_request_fetch(VALUE request);

/* All rows that have come: an Array of Arrays. */
VALUE postgres_request_rows(postgres_request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_postgres_request(void);

#endif
