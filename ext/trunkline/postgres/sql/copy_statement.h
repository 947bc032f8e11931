/* Parses a COPY statement for the names that the server does not send in its answer. */
#ifndef TRUNKLINE_COPY_STATEMENT_H
#define TRUNKLINE_COPY_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t source, source_length;   /* of the table's name, or of the query without its parentheses */
    size_t columns, columns_length; /* of their list, without parentheses; 0 bytes: there is none */
    bool query;
    bool plain;                     /* its options leave the format as the protocol reports it: text with its defaults, or binary */
} copy_statement_t;

/* Parses the statement. False: it is no COPY FROM STDIN or TO STDOUT. */
bool copy_statement_read(const char *sql, size_t length, copy_statement_t *copy);

/* Whether a script has such a statement. `at` and `copy_length` are set to those of its text. */
bool copy_statement_among(const char *sql, size_t length, size_t *at, size_t *copy_length);

#endif
