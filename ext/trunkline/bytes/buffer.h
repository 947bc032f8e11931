/* A growable buffer of bytes, which are appended at its tail and consumed at its head. It does not depend on Ruby, sockets or protocols. */
#ifndef TRUNKLINE_BUFFER_H
#define TRUNKLINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    char *start;
    size_t head;     /* index of the first byte that is not consumed */
    size_t tail;     /* index behind the last byte written */
    size_t capacity;
} buffer_t;

/* Frees the memory. The buffer is empty and usable afterwards. */
void buffer_release(buffer_t *buffer);

/* Makes room for `count` more bytes at the tail. False: no memory; the buffer is unchanged. */
bool buffer_reserve(buffer_t *buffer, size_t count);

/* Consumes `count` bytes at the head; they must be there. */
void buffer_consume(buffer_t *buffer, size_t count);

/* Removes `count` bytes that begin `from` bytes behind the head; they must be there. */
void buffer_cut(buffer_t *buffer, size_t from, size_t count);

/* Frees memory beyond `capacity` if the buffer is empty: one large message may have made it grow. */
void buffer_shrink(buffer_t *buffer, size_t capacity);

/* The number of bytes; their address, valid until the buffer changes; the number of bytes that can be appended without another allocation. */
static inline size_t buffer_size(const buffer_t *buffer) { return buffer->tail - buffer->head; }
static inline const char *buffer_bytes(const buffer_t *buffer) { return buffer->start + buffer->head; }
static inline size_t buffer_room(const buffer_t *buffer) { return buffer->capacity - buffer->tail; }

/* Appends. False: no memory; the buffer is unchanged. Inline, as most appends are of two to ten bytes, a number that the compiler knows. */
static inline bool buffer_append(buffer_t *buffer, const void *bytes, size_t count) {
    if (buffer_room(buffer) < count && !buffer_reserve(buffer, count)) return false;
    if (count > 0) memcpy(buffer->start + buffer->tail, bytes, count);
    buffer->tail += count;
    return true;
}

#endif
