#include "error_code.h"

#include "../bytes/reader.h"

#define SQLSTATE_FIELD 'C'
#define SQLSTATE_LENGTH 5

bool error_code_is(const char *body, size_t length, const char sqlstate[5]) {
    reader_t reader = reader_of(body, length);
    for (uint8_t field = reader_u8(&reader); reader.whole && field != 0; field = reader_u8(&reader)) {
        size_t size;
        const char *value = reader_string(&reader, &size);
        if (value && field == SQLSTATE_FIELD) return size == SQLSTATE_LENGTH && memcmp(value, sqlstate, size) == 0;
    }
    return false;
}
