/* Trunkline::Postgres::Prepared: a statement as one server session knows it. */
#ifndef TRUNKLINE_PREPARED_H
#define TRUNKLINE_PREPARED_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "../messages/frontend.h"

typedef struct {
    VALUE statement;
    VALUE description;   /* nil until the server has told it */
    uint32_t *types;     /* of the parameters */
    uint16_t type_count;
    bool known;          /* types are those that the server session has; else they are those that its parameters were made for, or NULL */
    bool parsed;         /* ParseComplete has come */
    bool stale;          /* must not be bound again */
    uint64_t epoch;      /* in which it was prepared */
    uint64_t parse_context; /* in which it was parsed, see parse_context.h */
    char name[STATEMENT_NAME_SIZE];
    size_t name_length;
    char check[STATEMENT_NAME_SIZE]; /* the name of its statement's column_check; empty: the session has none */
} prepared_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline prepared_t *prepared_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* With the name that belongs to the prefix and the number; with no prefix it has no name either, and is for one execution. */
VALUE prepared_create(VALUE statement, span_t prefix, uint64_t number);

/* Takes over the parameters' types that the server has told. They are copied; without memory it raises NoMemoryError. */
void prepared_learn(prepared_t *prepared, const uint32_t *types, uint16_t count);

/* Keeps the types that parameters were made for; whether the server finds the same is yet to be told. */
void prepared_expect(prepared_t *prepared, const uint32_t *types, uint16_t count);

/* The name of what is prepared together with it, or of nothing. */
static inline span_t prepared_check(const prepared_t *prepared) { return (span_t){prepared->check, prepared->check[0] ? prepared->name_length + 1 : 0}; }

/* Its name on the server, which lives as long as it does. */
static inline span_t prepared_name(const prepared_t *prepared) { return (span_t){prepared->name, prepared->name_length}; }

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_prepared(void);

#endif
