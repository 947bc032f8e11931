/* Trunkline::Postgres::Prepared: a statement that one server session has prepared. */
#ifndef TRUNKLINE_PREPARED_H
#define TRUNKLINE_PREPARED_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "../messages/frontend.h"

typedef struct {
    VALUE statement;
    VALUE description;   /* nil until the server has described it */
    uint32_t *types;     /* of the parameters */
    uint32_t *expected;  /* unless known: those of `types` that Parse declares all the same, and 0 for the others; NULL: there is none */
    uint16_t type_count;
    bool known;          /* `types` are those of the server session; otherwise those that the client expects, or NULL */
    bool parsed;         /* ParseComplete has come */
    bool stale;          /* must not be bound again */
    bool once;           /* for one execution: the session does not keep it */
    uint64_t epoch;      /* the plan epoch in which it was prepared */
    uint64_t parse_context; /* the context in which it was parsed, see parse_context.h */
    char name[STATEMENT_NAME_SIZE];
    size_t name_length;
    char check[STATEMENT_NAME_SIZE]; /* the name of its statement's prepared column_check; empty: there is none */
} prepared_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline prepared_t *prepared_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* A new object; its name consists of the prefix and the number. Without a prefix it has no name, and is for one execution. */
VALUE prepared_create(VALUE statement, span_t prefix, uint64_t number);

/* Copies the parameters' types, which the server has sent or been sent. Raises NoMemoryError. */
void prepared_learn(prepared_t *prepared, const uint32_t *types, uint16_t count);

/* Which of the types that the client only expects Parse declares all the same. */
typedef enum { DECLARE_NONE, DECLARE_BYTES, DECLARE_FORMS } declaring_t;

/* Copies the types that parameters were converted for, or had in another session; the server may find others. */
void prepared_expect(prepared_t *prepared, const uint32_t *types, uint16_t count, declaring_t declaring);

/* The types that Parse declares, and by which Bind chooses formats; NULL: none. 0: the server determines it. */
static inline const uint32_t *prepared_declared(const prepared_t *prepared) { return prepared->known ? prepared->types : prepared->expected; }

/* The name of its column check, or an empty one. */
static inline span_t prepared_check(const prepared_t *prepared) { return (span_t){prepared->check, prepared->check[0] ? prepared->name_length + 1 : 0}; }

/* Its name on the server, valid while the object lives. */
static inline span_t prepared_name(const prepared_t *prepared) { return (span_t){prepared->name, prepared->name_length}; }

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_prepared(void);

#endif
