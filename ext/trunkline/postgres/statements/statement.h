/* Trunkline::Postgres::Statement: an SQL text, shared by all sessions of a client. */
#ifndef TRUNKLINE_STATEMENT_H
#define TRUNKLINE_STATEMENT_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "plan_epoch.h"
#include "../sql/classify.h"
#include "../../trunk/requests/service_time.h"

typedef struct {
    VALUE sql;
    VALUE decoding;      /* how types are decoded other than usual, from Decoding.new; or nil */
    uint32_t slot;       /* the index at which each session stores its Prepared */
    classification_t classification; /* what it needs of, and leaves in, its session */
    bool checked_result; /* the server refuses to run it if its result is not as described */
    VALUE column_check;  /* String: the query that stored_columns.h or compared_columns.h describes; nil: none is needed */
    VALUE compared;      /* String: the query for column_check if the parameters have types that matter, see compared_columns.h; or nil */
    bool fields;         /* it writes by parameters and fields of composite types, see stored_columns.h */
    uint32_t *types;     /* of the parameters, as described by the server */
    uint16_t type_count;
    VALUE description;   /* of its latest answer, if it was prepared for that alone and C's values were final; or nil */
    VALUE service;       /* ServiceTime */
    VALUE host_services; /* Array of ServiceTime, one per host; or nil */
    VALUE response_times; /* Histogram: response times for callers of replicas; or nil */
    bool known;          /* types and type_count are valid in type_epoch */
    uint64_t type_epoch; /* the epoch in which a session has got them */
    VALUE epochs;        /* the client's PlanEpoch */
    const plan_epoch_t *epoch; /* its struct */
    uint64_t parse_context; /* the context in which it is parsed, see parse_context.h: 0 where no settings are sent with it */
    uint64_t plans;      /* the context for functions' plans */
    bool bytes;          /* decoding leaves values of all types as the bytes of the binary format */
    bool declared;       /* its caller has given the types of its parameters, which the server has not described */
    bool leaky;          /* has left something behind on a shared session, although its text does not show that */
    bool used;           /* since the last call of idle! */
} statement_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline statement_t *statement_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Whether it may be sent over a shared session. */
static inline bool statement_shareable(const statement_t *statement) { return statement->classification.class <= CLASS_ALONE; }

/* Whether a session may keep it prepared. Not one whose constants mean something else each time, nor one that the server would continue to store by
 * former types. */
static inline bool statement_kept(const statement_t *statement) { return !statement->classification.time_dependent && !statement->fields; }

/* The struct of any object. Raises TypeError when it is no Statement. */
statement_t *statement_checked(VALUE object);

/* Whether the parameters' types are known, and no type has changed since, as far as this client knows. */
static inline bool statement_known(const statement_t *statement) { return statement->known && statement->type_epoch == statement->epoch->number; }

/* Copies the parameters' types of a session that prepared the statement in this epoch. */
void statement_learn(statement_t *statement, const uint32_t *types, uint16_t count, uint64_t epoch);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_statement(void);

#endif
