/* What one end sends in any portions, the other receives, in order and whole. */
#include "fuzz.h"
#include <unistd.h>
#include <sys/socket.h>
#include "socket/socket.h"

#define MOST_AT_ONCE 1024
#define KERNEL_BUFFER 4096 /* soon full */

static uint8_t nth(size_t at) { return (uint8_t)(at * 167 + (at >> 8)); }

static void put(buffer_t *buffer, size_t *count, size_t more) {
    char bytes[MOST_AT_ONCE];
    for (size_t at = 0; at < more; at++) bytes[at] = (char)nth(*count + at);
    MUST(buffer_append(buffer, bytes, more));
    *count += more;
}

static void check(buffer_t *buffer, size_t *count) {
    for (size_t at = 0; at < buffer_size(buffer); at++) MUST((uint8_t)buffer_bytes(buffer)[at] == nth(*count + at));
    *count += buffer_size(buffer);
    buffer_consume(buffer, buffer_size(buffer));
}

/* Closing takes the kernel long, so one pair serves many inputs. */
static void ensure_open(int ends[2]) {
    if (ends[0] >= 0) return;
    int bytes = KERNEL_BUFFER;
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    MUST(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) == 0);
}

static void finish(int ends[2], buffer_t *out, buffer_t *in) {
    close(ends[0]);
    MUST(socket_receive(ends[1], in, 1) == SOCKET_CLOSED);
    MUST(buffer_append(out, "x", 1) && socket_send(ends[1], out) == SOCKET_FAILED);
    close(ends[1]);
    MUST(socket_receive(ends[1], in, 1) == SOCKET_FAILED);
    ends[0] = ends[1] = -1;
}

static void move(const int ends[2], buffer_t *out, buffer_t *in, size_t *read, input_t *input) {
    socket_status_t sent = socket_send(ends[0], out);
    MUST(sent == SOCKET_MOVED ? buffer_size(out) == 0 : sent == SOCKET_BLOCKED);
    if (input_byte(input) % 2) return;
    socket_status_t received = socket_receive(ends[1], in, 1 + input_number(input) % KERNEL_BUFFER);
    MUST(received == SOCKET_MOVED ? buffer_size(in) > 0 : received == SOCKET_BLOCKED && buffer_size(in) == 0);
    check(in, read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int ends[2] = {-1, -1};
    input_t input = {data, data + size};
    buffer_t out = {0}, in = {0};
    size_t written = 0, read = 0;
    bool last = input_byte(&input) == 0;
    ensure_open(ends);
    while (input_left(&input) > 0) {
        if (input_byte(&input) % 2) {
            put(&out, &written, input_number(&input) % MOST_AT_ONCE);
        } else {
            move(ends, &out, &in, &read, &input);
        }
    }
    do {
        MUST(socket_send(ends[0], &out) != SOCKET_FAILED);
        while (socket_receive(ends[1], &in, 1) == SOCKET_MOVED) check(&in, &read);
    } while (buffer_size(&out) > 0);
    MUST(read == written);
    if (last) finish(ends, &out, &in);
    buffer_release(&in);
    buffer_release(&out);
    return 0;
}
