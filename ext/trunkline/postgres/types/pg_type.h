/* A built-in type of PostgreSQL, and how its values are decoded. */
#ifndef TRUNKLINE_PG_TYPE_H
#define TRUNKLINE_PG_TYPE_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "row_memory.h"

/* Decodes one value, whose bytes the caller keeps meanwhile. May run Ruby, and raise. */
typedef VALUE decode_function(const char *bytes, size_t length);

typedef struct {
    uint32_t oid, array_oid; /* array_oid 0: the type has no array */
    const char *name;
    decode_function *text, *binary; /* binary NULL: only text format */
    uint16_t object_bytes; /* of a value that is an object, beside its own bytes: at least what ObjectSpace.memsize_of returns */
    bool finished_in_ruby; /* C decodes the value to text, from which Types::Finishers::BY_TYPE makes the final one */
} pg_type_t;

#endif
