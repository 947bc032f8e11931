/* Listens on 127.0.0.1, and passes on what comes from a client to a server and back, each byte a while after it came, as a long wire does, with as
 * much on it as there is. Arguments: the server's port there, and the nanoseconds of one way. Writes its own port to its output, and ends with its
 * input. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST_LANES 256
#define MOST_PARTS 64
#define CHUNK 65536
#define FULL 500000 /* nanoseconds after which a socket that took nothing is tried again */

/* Bytes on their way, due at a time. */
typedef struct portion {
    struct portion *next;
    int64_t due;
    size_t start, end;
    char bytes[];
} portion_t;

/* One direction: what is read from a descriptor goes to that of the lane beside it. */
typedef struct {
    int from, to;
    portion_t *first, **last;
    int64_t full_until;
} lane_t;

static lane_t lanes[MOST_LANES];
static struct pollfd polled[MOST_LANES + 2];
static size_t count;
static int64_t delay;
static char input[CHUNK];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static struct sockaddr_in local(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listen_anywhere(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 128) || getsockname(listener, (struct sockaddr *)&address, &size)) fail("listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void add_lane(int from, int to) {
    const int on = 1;
    if (count == MOST_LANES) exit(1);
    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    lanes[count] = (lane_t){.from = from, .to = to};
    lanes[count].last = &lanes[count].first;
    count++;
}

static void connect_through(int listener, int port) {
    int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = local(port);
    if (client < 0 || connect(server, (struct sockaddr *)&address, sizeof address)) fail("connect");
    add_lane(client, server);
    add_lane(server, client);
}

/* Ends both directions, which stand side by side. */
static void cut(size_t at) {
    size_t pair = at & ~(size_t)1;
    for (size_t lane = pair; lane < pair + 2; lane++) {
        close(lanes[lane].from);
        for (portion_t *portion = lanes[lane].first, *next; portion; portion = next) {
            next = portion->next;
            free(portion);
        }
    }
    count -= 2;
    for (size_t lane = 0; pair < count && lane < 2; lane++) {
        lanes[pair + lane] = lanes[count + lane];
        if (!lanes[pair + lane].first) lanes[pair + lane].last = &lanes[pair + lane].first;
    }
}

/* False: the connection has ended. */
static bool take(lane_t *lane, int64_t came) {
    ssize_t size = recv(lane->from, input, sizeof input, MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    portion_t *portion = malloc(sizeof *portion + (size_t)size);
    if (!portion) fail("malloc");
    *portion = (portion_t){.due = came + delay, .end = (size_t)size};
    memcpy(portion->bytes, input, (size_t)size);
    *lane->last = portion;
    lane->last = &portion->next;
    return true;
}

static int parts_due(const lane_t *lane, int64_t time, struct iovec *parts) {
    int found = 0;
    for (portion_t *portion = lane->first; portion && portion->due <= time && found < MOST_PARTS; portion = portion->next) {
        parts[found++] = (struct iovec){portion->bytes + portion->start, portion->end - portion->start};
    }
    return found;
}

static void drop_sent(lane_t *lane, size_t sent) {
    while (sent > 0) {
        portion_t *portion = lane->first;
        size_t part = portion->end - portion->start;
        if (sent < part) {
            portion->start += sent;
            return;
        }
        sent -= part;
        lane->first = portion->next;
        if (!lane->first) lane->last = &lane->first;
        free(portion);
    }
}

/* Writes what is due. False: the connection has ended. */
static bool give(lane_t *lane, int64_t time) {
    struct iovec parts[MOST_PARTS];
    struct msghdr message = {.msg_iov = parts};
    while (time >= lane->full_until && (message.msg_iovlen = (size_t)parts_due(lane, time, parts)) > 0) {
        ssize_t sent = sendmsg(lane->to, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent < 0) lane->full_until = time + FULL;
        else drop_sent(lane, (size_t)sent);
    }
    return true;
}

/* When something is due; -1: nothing is on its way. */
static int64_t next_due(void) {
    int64_t earliest = -1;
    for (size_t at = 0; at < count; at++) {
        if (!lanes[at].first) continue;
        int64_t due = lanes[at].first->due > lanes[at].full_until ? lanes[at].first->due : lanes[at].full_until;
        if (earliest < 0 || due < earliest) earliest = due;
    }
    return earliest;
}

static void wait_for_work(int listener) {
    int64_t due = next_due(), pause = due < 0 ? 0 : due - now();
    struct timespec timeout = {0};
    polled[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (size_t at = 0; at < count; at++) polled[at + 2] = (struct pollfd){.fd = lanes[at].from, .events = POLLIN};
    if (pause > 0) timeout = (struct timespec){pause / 1000000000, pause % 1000000000};
    if (ppoll(polled, count + 2, due < 0 ? NULL : &timeout, NULL) < 0 && errno != EINTR) fail("ppoll");
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    int port = atoi(argv[1]), listener = listen_anywhere();
    delay = atoll(argv[2]);
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_TIMERSLACK, 1UL);
    while (true) {
        wait_for_work(listener);
        if (polled[0].revents) return 0;
        int64_t time = now();
        for (size_t at = count; at-- > 0;) {
            bool open = !polled[at + 2].revents || take(&lanes[at], time);
            if (!open || !give(&lanes[at], time)) {
                cut(at);
                break; /* the others in the next turn */
            }
        }
        if (polled[1].revents) connect_through(listener, port);
    }
}
