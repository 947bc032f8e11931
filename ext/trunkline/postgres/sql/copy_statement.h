/* Reads what a COPY statement names, which the server does not tell in its answer. */
#ifndef TRUNKLINE_COPY_STATEMENT_H
#define TRUNKLINE_COPY_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t source, source_length;   /* of the table's name, or of the query without its parentheses */
    size_t columns, columns_length; /* of their list, without parentheses; 0 bytes: there is none */
    bool query;
    bool plain;                     /* its options leave the format as the protocol knows it: text as it is by default, or binary */
} copy_statement_t;

/* False: it is no COPY FROM STDIN or TO STDOUT. */
bool copy_statement_read(const char *sql, size_t length, copy_statement_t *copy);

/* Is there one among the statements of a script? `at` and `copy_length` are those of its text then. */
bool copy_statement_among(const char *sql, size_t length, size_t *at, size_t *copy_length);

#endif
