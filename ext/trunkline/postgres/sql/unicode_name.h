/* Names of SQL as the server stores them: truncated, and with their Unicode escapes resolved. */
#ifndef TRUNKLINE_UNICODE_NAME_H
#define TRUNKLINE_UNICODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_MOST 63 /* bytes of an identifier; the server truncates longer ones */

typedef struct {
    char *bytes; /* a buffer of NAME_MOST bytes */
    size_t length;
    size_t whole; /* bytes up to the last character that fits */
} name_t;

/* An empty name that uses this buffer. name_add appends a byte; bytes beyond the limit are left out. */
name_t name_into(char *bytes);
void name_add(name_t *name, char byte);

/* The length of the name in bytes. */
uint8_t name_finish(const name_t *name);

/* Whether UESCAPE may name this character. */
bool unicode_escape_ok(char escape);

/* Appends the text between the quotes of U&"...". False: it is invalid, or has characters beyond U+FFFF as surrogate pairs. */
bool unicode_unescape(name_t *name, const char *text, size_t length, char escape);

#endif
