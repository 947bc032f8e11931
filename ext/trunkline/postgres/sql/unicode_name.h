/* Names of SQL as the server knows them: cut off where it cuts them off, and without their Unicode escapes. */
#ifndef TRUNKLINE_UNICODE_NAME_H
#define TRUNKLINE_UNICODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_MOST 63 /* bytes of an identifier; the server cuts off what is longer */

typedef struct {
    char *bytes; /* room for NAME_MOST of them */
    size_t length;
    size_t whole; /* bytes up to the last character that fits */
} name_t;

/* An empty name that is written to these bytes; then one more byte of it, of which what is too long is left out. */
name_t name_into(char *bytes);
void name_add(name_t *name, char byte);

/* How many bytes the name has. */
uint8_t name_finish(const name_t *name);

/* May this be what UESCAPE names? */
bool unicode_escape_ok(char escape);

/* Adds what stands between the quotes of U&"...". False: no server takes it, or it has characters beyond U+FFFF as two halves. */
bool unicode_unescape(name_t *name, const char *text, size_t length, char escape);

#endif
