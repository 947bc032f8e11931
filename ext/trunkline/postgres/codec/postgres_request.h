/* Trunkline::Postgres::Request: what is asked of a PostgreSQL server, and what it answered. */
#ifndef TRUNKLINE_POSTGRES_REQUEST_H
#define TRUNKLINE_POSTGRES_REQUEST_H

#include "../messages/answer_order.h"
#include "row_count.h"
#include "unclaimed.h"
#include "../../trunk/core/request.h"

typedef enum {
    REQUEST_QUERY,    /* Bind, Execute; Parse and Describe before them where the session does not know the statement */
    REQUEST_DESCRIBE, /* Parse, Describe */
    REQUEST_FENCE,    /* nothing: its answer comes when everything before it is over */
    REQUEST_SCRIPT,   /* simple Query: several statements, a result each */
    REQUEST_BATCH,    /* nothing of its own: several queries before it, in the same flight, or in its very unit */
    REQUEST_FETCH,    /* Execute of a portal that an earlier query has left open */
    REQUEST_COPY,     /* simple Query: COPY from the client or to it */
} request_kind_t;

/* What its flight carries, as the session that takes it needs it. submit.c writes it. */
typedef struct {
    VALUE prepared;     /* the statement as the session knows it, once submitted */
    size_t effect;      /* bytes of its unit before those that have an effect */
    size_t effect_size; /* bytes of Bind and Execute; 0 where nothing can be left out */
    bool parses;        /* carries the Parse of `prepared` */
    bool describes;     /* carries Describe */
    bool told;          /* relies on the parameters' types, as the client remembers them: its Parse names them, or its values were made for them */
    bool elsewhere;     /* another server process than the one that prepared the statement may run it, as a pooler chooses */
    bool withdrawn;     /* its Bind and Execute were taken back before they were sent */
} request_sent_t;

/* What the server has answered so far. receive.c, and what it calls, writes it. */
typedef struct {
    VALUE description; /* of the rows */
    VALUE row;         /* the first one, or nil */
    VALUE rows;        /* Array of Arrays, once there are two, or once asked for */
    VALUE results;     /* of a script: Array of [description, rows, affected rows] */
    VALUE tag;         /* what the command's end is called, UTF-8; nil: it is not kept, or has not come */
    VALUE notices;     /* String that error_fields.h describes, or nil */
    VALUE error;       /* ErrorResponse body, or nil */
    VALUE unreadable;  /* why the answer cannot be given to the caller; or nil */
    long notices_left_out;
    long told;         /* bytes of the notices that the caller was told of */
    long long affected;   /* rows that the command tag tells, or -1 */
    row_count_t count;    /* its rows, of a script those of the command that is answered now */
    long unanswered;      /* members of an atomic batch that are not answered yet */
    answer_order_t order; /* which messages are still to come */
    char status;          /* of the transaction, from ReadyForQuery */
    bool binary;          /* rows come in binary format */
    bool typed;           /* ParameterDescription has come */
    bool bound;           /* BindComplete has come: from here on, the statement may have had an effect */
    bool complete;        /* the command has come to its end */
    bool suspended;       /* there may be more rows to fetch */
    bool keeps_tag;       /* as its caller wants it */
} request_answer_t;

/* What a statement has left behind on a session that others share. */
typedef enum {
    LEAK_NONE,
    LEAK_STATE,   /* a transaction, or what the command's tag tells */
    LEAK_SETTING, /* a setting that the server reports, which may also come from a configuration that was loaded anew */
    LEAK_OF_UNIT, /* it, or another statement of its unit, has left something behind */
} leak_t;

/* What the answer, or the lack of one, tells of the statement, of its session and of what may be done now. */
typedef struct {
    leak_t leak;          /* what its statement has left behind on a session that others share */
    VALUE altered;        /* Array of the setting's name and value, for LEAK_SETTING; or nil */
    bool undone;          /* of a batch's member: not for an error of its own */
    bool rolled_back;     /* its end was ROLLBACK, whatever was asked */
    bool outdated;        /* refused before it was bound, perhaps for what was remembered of its statement */
    bool forgotten;       /* outdated, and nothing else: the server has lost it, or its result has changed */
    bool cancelled;       /* the server was asked to cancel it, or is to be */
    bool refused;         /* what runs before its statement has failed, so the statement has not run */
    bool bystander;       /* it met the cancel that was aimed at another one; it had no effect */
    bool changes_parse_context; /* what follows it in its session may be read otherwise, see parse_context.h */
    bool changes_plans;   /* and so may what functions keep */
} request_outcome_t;

typedef struct {
    request_t base;
    request_kind_t kind;
    VALUE statement;
    VALUE parameters;  /* Array, nothing in it but what bind.h takes */
    VALUE given;       /* what the caller passed, where the parameters depend on the server's types; or nil */
    VALUE types;       /* Array of these types, with given; or nil */
    VALUE script;      /* its SQL */
    VALUE decoding;    /* of a script: how its rows are decoded, as Decoding.of returns it; nil: as usual */
    VALUE members;     /* of a batch: Array of Requests; or nil */
    VALUE preamble;    /* Array of SQL that the unit runs before the statement, all or nothing; or nil */
    VALUE guard;       /* what a replica refuses by, before the statement, see read_guard.h; or nil */
    VALUE route;       /* what a client with replicas notes of the hosts that it was sent to; or nil */
    VALUE portal;      /* its name, which stays open when so many rows have come; or nil */
    uint32_t fetches;  /* rows at a time, of a portal */
    bool unnamed;      /* prepared for this execution only */
    bool atomic;       /* of a batch: all in one unit, which is one transaction */
    bool announced;    /* the server is to say when it begins with the statement itself */
    bool anew;         /* relies on nothing that is remembered of its statement */
    bool calls_nothing; /* its statement calls no function: what these keep may be as it is */
    unclaimed_t unclaimed; /* of a future: what of its rows counts as not asked for */
    struct flow *flow; /* what its caller takes in portions; or NULL */
    request_sent_t sent;
    request_answer_t answer;
    request_outcome_t outcome;
} postgres_request_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline postgres_request_t *postgres_request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Of what a caller gives: raises TypeError when it is something else. */
postgres_request_t *postgres_request_checked(VALUE object);

/* Ruby's Request#repeatable?: see there. */
bool postgres_request_is_repeatable(VALUE request);

/* What fetches the next rows of the portal that the request has left open. */
VALUE postgres_request_fetch(VALUE request);

/* All rows so far: an Array of Arrays. */
VALUE postgres_request_rows(postgres_request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_postgres_request(void);

#endif
