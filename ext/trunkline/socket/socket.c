#include "socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifdef MSG_NOSIGNAL
#define SEND_FLAGS (MSG_NOSIGNAL | MSG_DONTWAIT)
#else
#define SEND_FLAGS MSG_DONTWAIT /* Ruby has a handler for SIGPIPE, with which send(2) fails with EPIPE */
#endif

static bool would_block(void) { return errno == EAGAIN || errno == EWOULDBLOCK; }

socket_status_t socket_receive(int descriptor, buffer_t *buffer, size_t least) {
    if (!buffer_reserve(buffer, least)) {
        errno = ENOMEM;
        return SOCKET_FAILED;
    }
    ssize_t count;
    do {
        count = recv(descriptor, buffer->start + buffer->tail, buffer_room(buffer), MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count == 0) return SOCKET_CLOSED;
    if (count < 0) return would_block() ? SOCKET_BLOCKED : SOCKET_FAILED;
    buffer->tail += (size_t)count;
    return SOCKET_MOVED;
}

socket_status_t socket_send(int descriptor, buffer_t *buffer) {
    while (buffer_size(buffer) > 0) {
        ssize_t count = send(descriptor, buffer_bytes(buffer), buffer_size(buffer), SEND_FLAGS);
        if (count >= 0) {
            buffer_consume(buffer, (size_t)count);
        } else if (would_block()) {
            return SOCKET_BLOCKED;
        } else if (errno != EINTR) {
            return SOCKET_FAILED;
        }
    }
    return SOCKET_MOVED;
}

static bool is_ready(int descriptor, short events) {
    struct pollfd polled = {.fd = descriptor, .events = events};
    return poll(&polled, 1, 0) > 0;
}

bool socket_has_bytes(int descriptor) { return is_ready(descriptor, POLLIN); }

bool socket_has_room(int descriptor) { return is_ready(descriptor, POLLOUT); }
