/* Moves bytes between a non-blocking descriptor and a buffer. Never waits. */
#ifndef TRUNKLINE_SOCKET_H
#define TRUNKLINE_SOCKET_H

#include "../bytes/buffer.h"

typedef enum {
    SOCKET_MOVED,   /* some bytes were moved */
    SOCKET_BLOCKED, /* none can be moved now */
    SOCKET_CLOSED,  /* the peer has closed its side */
    SOCKET_FAILED,  /* errno says why */
} socket_status_t;

/* Reads what is there, up to the buffer's free space, which is made at least `least` bytes. */
socket_status_t socket_receive(int descriptor, buffer_t *buffer, size_t least);

/* Writes until the buffer is empty (SOCKET_MOVED) or the kernel takes no more (SOCKET_BLOCKED). */
socket_status_t socket_send(int descriptor, buffer_t *buffer);

/* Whether the socket is readable: bytes, the end or an error. */
bool socket_has_bytes(int descriptor);

/* Whether the socket is writable, or has failed. */
bool socket_has_room(int descriptor);

#endif
