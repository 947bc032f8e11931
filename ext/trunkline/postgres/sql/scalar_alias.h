/* alias.name is a call if the alias is that of a function in FROM that returns a scalar. The alias may come behind its use, so the SQL is read a
 * second time if there is such a name. */
#ifndef TRUNKLINE_SCALAR_ALIAS_H
#define TRUNKLINE_SCALAR_ALIAS_H

#include "scanner.h"

/* Suspects; a statement with more counts as one that keeps state. Of the statements that classifier.h mentions, one is classified otherwise with 1,
 * 2, 4, 16 or 64. */
#define SCALAR_ALIASES_MOST 8

typedef struct {
    struct {
        char alias[NAME_MOST];
        uint8_t alias_length;
        size_t at, length; /* of the function's name in the SQL */
    } suspects[SCALAR_ALIASES_MOST];
    size_t count;
} scalar_aliases_t;

/* Stores a suspect. False: there are too many. */
bool scalar_aliases_suspect(scalar_aliases_t *aliases, const token_t *alias, size_t at, size_t length);

/* Whether one of them is the alias of a function. If so, at and length are set to those of the name that is called through it. */
bool scalar_aliases_called(const scalar_aliases_t *aliases, const char *sql, size_t size, size_t *at, size_t *length);

#endif
