/* Looks the SQLSTATE up in an ErrorResponse. */
#ifndef TRUNKLINE_ERROR_CODE_H
#define TRUNKLINE_ERROR_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Is the body's SQLSTATE this one? */
bool error_code_is(const char *body, size_t length, const char sqlstate[5]);

#endif
