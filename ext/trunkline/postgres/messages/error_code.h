/* Reads fields of an ErrorResponse. */
#ifndef TRUNKLINE_ERROR_CODE_H
#define TRUNKLINE_ERROR_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the body's SQLSTATE begins with this text. */
bool error_code_begins(const char *body, size_t length, const char *beginning);

/* Whether its message is this text. */
bool error_says(const char *body, size_t length, const char *message);

/* Whether this routine of the server's source has raised it. */
bool error_comes_from(const char *body, size_t length, const char *routine);

/* Whether the server ends the session with it (FATAL or PANIC). */
bool error_is_fatal(const char *body, size_t length);

#endif
