/* A growable run of bytes: appended to at its tail, consumed at its head. Knows nothing of Ruby, sockets or protocols. */
#ifndef TRUNKLINE_BUFFER_H
#define TRUNKLINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *start;
    size_t head;     /* first byte not consumed yet */
    size_t tail;     /* one past the last byte written */
    size_t capacity;
} buffer_t;

/* Gives the memory back. The buffer is empty and usable afterwards. */
void buffer_release(buffer_t *buffer);

/* Makes room for `count` more bytes at the tail. False: no memory; the buffer is unchanged. */
bool buffer_reserve(buffer_t *buffer, size_t count);

/* Appends. False: no memory; the buffer is unchanged. */
bool buffer_append(buffer_t *buffer, const void *bytes, size_t count);

/* Drops `count` bytes from the head, which must be there. */
void buffer_consume(buffer_t *buffer, size_t count);

/* Takes `count` bytes out that begin `from` bytes behind the head; they must be there. */
void buffer_cut(buffer_t *buffer, size_t from, size_t count);

/* Returns memory that one large message made the empty buffer grow to. */
void buffer_shrink(buffer_t *buffer, size_t capacity);

/* How many bytes there are; where they begin, until the buffer changes; how many more there is room for without another allocation. */
static inline size_t buffer_size(const buffer_t *buffer) { return buffer->tail - buffer->head; }
static inline const char *buffer_bytes(const buffer_t *buffer) { return buffer->start + buffer->head; }
static inline size_t buffer_room(const buffer_t *buffer) { return buffer->capacity - buffer->tail; }

#endif
