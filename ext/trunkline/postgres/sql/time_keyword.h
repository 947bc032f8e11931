/* Constants that mean another moment each time they are read: 'now', 'today', 'tomorrow', 'yesterday'. The server reads them when it
 * parses a statement, so that a prepared one keeps the first moment. */
#ifndef TRUNKLINE_TIME_KEYWORD_H
#define TRUNKLINE_TIME_KEYWORD_H

#include "scanner.h"

/* Does the token hold a string in which such a word stands, whatever is around it? Types of all kinds may read it, arrays and ranges of
 * dates among them. Unicode escapes, and a string that goes on in the next token, count as if one did. */
bool time_keyword_in(const token_t *token, const token_t *before);

#endif
