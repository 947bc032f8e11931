#include "error_code.h"

#include "../../bytes/reader.h"

#define SQLSTATE 'C'
#define MESSAGE 'M'
#define ROUTINE 'R'
#define SEVERITY 'V' /* not translated */

/* A field's text, ended by a zero byte; NULL when the body has none. */
static const char *find_field(const char *body, size_t length, char wanted) {
    reader_t reader = reader_of(body, length);
    for (uint8_t field = reader_u8(&reader); reader.whole && field != 0; field = reader_u8(&reader)) {
        size_t size;
        const char *text = reader_string(&reader, &size);
        if (text && field == wanted) return text;
    }
    return NULL;
}

bool error_code_begins(const char *body, size_t length, const char *beginning) {
    const char *code = find_field(body, length, SQLSTATE);
    return code && strncmp(code, beginning, strlen(beginning)) == 0;
}

bool error_says(const char *body, size_t length, const char *message) {
    const char *said = find_field(body, length, MESSAGE);
    return said && strcmp(said, message) == 0;
}

bool error_comes_from(const char *body, size_t length, const char *routine) {
    const char *said = find_field(body, length, ROUTINE);
    return said && strcmp(said, routine) == 0;
}

bool error_is_fatal(const char *body, size_t length) {
    const char *severity = find_field(body, length, SEVERITY);
    return severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}
