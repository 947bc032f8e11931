/* Trunkline::Postgres::Statement: an SQL text, known to the whole client. */
#ifndef TRUNKLINE_STATEMENT_H
#define TRUNKLINE_STATEMENT_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "plan_epoch.h"
#include "../sql/classify.h"
#include "../../trunk/core/service.h"

typedef struct {
    VALUE sql;
    VALUE decoding;      /* how types are decoded other than usual: what Decoding.new returns, or nil */
    uint32_t slot;       /* where each trunk's codec keeps what it knows of this statement */
    classification_t classification; /* may it go where others go? */
    bool checked_result; /* the server refuses to run it where its result is not what it was described as */
    VALUE column_check;  /* String: the query that stored_columns.h describes; nil: it writes nothing by its parameters */
    bool fields;         /* it writes by parameters and fields of composite types, see stored_columns.h */
    uint32_t *types;     /* of the parameters, as the server told */
    uint16_t type_count;
    VALUE description;   /* of its latest answer, where it was prepared for that alone and C's values were final; or nil */
    VALUE service;       /* Service: what executions cost the server */
    VALUE host_services; /* Array of Service, likewise of each of several hosts; or nil */
    VALUE response_times; /* Histogram: what callers of replicas waited for its answers; or nil */
    bool known;          /* types and type_count were true in their epoch */
    uint64_t type_epoch; /* in which a session was told them */
    VALUE epochs;        /* the client's PlanEpoch */
    const plan_epoch_t *epoch; /* the same */
    uint64_t parse_context; /* in which it is to be read, see parse_context.h: 0 where no settings travel with it */
    uint64_t plans;      /* in which functions' plans are to be made for it */
    bool bytes;          /* decoding wants the bytes of the binary format, of whatever type */
    bool declared;       /* its caller says the types of its parameters, and no server */
    bool leaky;          /* has left something behind on a session that others share, though nothing in its text tells */
    bool used;           /* since the cache last looked */
} statement_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline statement_t *statement_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* May it go over a session that others share? */
static inline bool statement_shareable(const statement_t *statement) { return statement->classification.class <= CLASS_ALONE; }

/* May a session keep it prepared? Not one whose constants mean something else each time, nor one that the server would go on storing by former types. */
static inline bool statement_kept(const statement_t *statement) { return !statement->classification.time_dependent && !statement->fields; }

/* Of what a caller gives: raises TypeError when it is something else. */
statement_t *statement_checked(VALUE object);

/* Are the parameters' types known, and has no type changed since, as far as this client knows? */
static inline bool statement_known(const statement_t *statement) { return statement->known && statement->type_epoch == statement->epoch->number; }

/* Keeps a copy of the parameters' types, as a session knows them that prepared the statement in that epoch. */
void statement_learn(statement_t *statement, const uint32_t *types, uint16_t count, uint64_t epoch);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_statement(void);

#endif
