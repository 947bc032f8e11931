/* Constants that mean another time whenever they are parsed: 'now', 'today', 'tomorrow', 'yesterday'. The server evaluates them when it parses a
 * statement, so that a prepared one keeps the first time. */
#ifndef TRUNKLINE_TIME_KEYWORD_H
#define TRUNKLINE_TIME_KEYWORD_H

#include "scanner.h"

/* Whether the token is a string that contains such a word, whatever is around it: many types may read it, arrays and ranges of dates among them.
 * Unicode escapes, and a string that continues in the next token, count as if it did. */
bool time_keyword_in(const token_t *token, const token_t *before);

#endif
