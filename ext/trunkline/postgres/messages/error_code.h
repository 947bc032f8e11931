/* Looks into an ErrorResponse. */
#ifndef TRUNKLINE_ERROR_CODE_H
#define TRUNKLINE_ERROR_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Does the body's SQLSTATE begin so? */
bool error_code_begins(const char *body, size_t length, const char *beginning);

/* Is its message this one? */
bool error_says(const char *body, size_t length, const char *message);

/* Is it this routine of the server's source that has raised it? */
bool error_comes_from(const char *body, size_t length, const char *routine);

/* Does the server end the session with it? */
bool error_is_fatal(const char *body, size_t length);

#endif
