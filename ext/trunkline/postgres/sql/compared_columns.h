/* The columns that a SELECT compares with parameters, as far as its result does not have them. The server fixes the types of a prepared statement's
 * parameters, and keeps comparing by them when a column has another type later; but it refuses a query whose result has other types. */
#ifndef TRUNKLINE_COMPARED_COLUMNS_H
#define TRUNKLINE_COMPARED_COLUMNS_H

#include "../../bytes/buffer.h"

/* Appends the query that has these columns as its result: SELECT t.a, t.b FROM thing AS t. FROM is as in the statement. Takes into account what stands
 * behind the statement's own WHERE, outside of its subqueries: a = $1, a IN ($1, $2), a BETWEEN $1 AND $2 and the like. False: there are no such
 * columns, or FROM has parameters, or there is no memory; then ignore what was appended. */
bool compared_columns_query(buffer_t *query, const char *sql, size_t length);

/* Whether a value may be compared by one of these types of parameters in another way than by the type of another column: as a real in place of a double
 * precision, as a date in place of a timestamp. Not by integers, text, bytea, bool and uuid, which are the types of most keys. */
bool compared_types_matter(const uint32_t *types, uint16_t count);

#endif
