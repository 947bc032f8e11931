/* The columns that an INSERT, UPDATE or MERGE stores into, and those by which an UPDATE, DELETE or MERGE chooses the rows of its table. The server
 * fixes the types of a prepared statement's parameters, and casts from them without an error when a column has another type later; but it refuses a
 * query whose result has other types. */
#ifndef TRUNKLINE_STORED_COLUMNS_H
#define TRUNKLINE_STORED_COLUMNS_H

#include "../../bytes/buffer.h"

typedef struct {
    bool checked; /* false: the statement has no parameter, or writes nothing by one, or there is no memory: then ignore what was appended */
    bool fields;  /* a field of a composite type is assigned, or rows are chosen by one: the server invalidates no plan when such a type changes */
} stored_columns_t;

/* Appends the query that has these columns as its result: SELECT t1.a, t1.b FROM thing AS t1. */
stored_columns_t stored_columns_query(buffer_t *query, const char *sql, size_t length);

#endif
