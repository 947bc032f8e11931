/* Reads a message field by field, and never past its end: the first incomplete field sets `whole` to false for good. */
#ifndef TRUNKLINE_READER_H
#define TRUNKLINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include "big_endian.h"

typedef struct {
    const char *at;
    const char *end;
    bool whole;
} reader_t;

/* A reader of these bytes, which must live as long as it does. */
static inline reader_t reader_of(const char *bytes, size_t length) {
    return (reader_t){bytes, bytes + length, true};
}

/* The number of bytes that are not read yet. */
static inline size_t reader_left(const reader_t *reader) { return (size_t)(reader->end - reader->at); }

/* The next `count` bytes, or NULL when there are fewer. */
static inline const char *reader_take(reader_t *reader, size_t count) {
    if (!reader->whole || reader_left(reader) < count) {
        reader->whole = false;
        return NULL;
    }
    const char *taken = reader->at;
    reader->at += count;
    return taken;
}

/* The next integer of that size, in network order; 0 where the message has ended. */
static inline uint8_t reader_u8(reader_t *reader) {
    const char *at = reader_take(reader, 1);
    return at ? (uint8_t)*at : 0;
}

/* Likewise. */
static inline uint16_t reader_u16(reader_t *reader) {
    const char *at = reader_take(reader, 2);
    return at ? read_u16(at) : 0;
}

/* Likewise. */
static inline uint32_t reader_u32(reader_t *reader) {
    const char *at = reader_take(reader, 4);
    return at ? read_u32(at) : 0;
}

/* A string ended by a zero byte; its length goes to *length. NULL when the zero is missing. */
static inline const char *reader_string(reader_t *reader, size_t *length) {
    const char *zero = reader->whole ? memchr(reader->at, 0, reader_left(reader)) : NULL;
    if (!zero) {
        reader->whole = false;
        return NULL;
    }
    const char *string = reader->at;
    *length = (size_t)(zero - string);
    reader->at = zero + 1;
    return string;
}

#endif
