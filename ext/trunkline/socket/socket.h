/* Moves bytes between a non-blocking descriptor and a buffer. Never waits. */
#ifndef TRUNKLINE_SOCKET_H
#define TRUNKLINE_SOCKET_H

#include "../bytes/buffer.h"

typedef enum {
    SOCKET_MOVED,   /* some bytes went through */
    SOCKET_BLOCKED, /* none can go through now */
    SOCKET_CLOSED,  /* the peer has closed its side */
    SOCKET_FAILED,  /* errno says why */
} socket_status_t;

/* Reads what is there, up to the buffer's room, which is at least `least` bytes. */
socket_status_t socket_receive(int descriptor, buffer_t *buffer, size_t least);

/* Writes until the buffer is empty (SOCKET_MOVED) or the kernel takes no more (SOCKET_BLOCKED). */
socket_status_t socket_send(int descriptor, buffer_t *buffer);

/* Does something lie there to be read, or the news that nothing more will come? */
bool socket_has_bytes(int descriptor);

/* Does the kernel take bytes to be written, or has the connection failed? */
bool socket_has_room(int descriptor);

#endif
