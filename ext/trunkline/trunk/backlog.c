/* Seconds of work that lie before a crew's server, and whether it is late with it. */
#include "crew.h"

#include "../socket/bytes_class.h"
#include "../socket/socket.h"

#define STUCK 0.2 /* seconds by which a short one is late enough to be worth a cancel: a busy machine is late too, or the network */

double crew_enough(const crew_t *crew) { return SHORT_BACKLOG + crew_in_flight(crew)->round_trip; }

/* What was seen lies there until it is read; but for what is encrypted, which may come to nothing then. */
bool crew_has_answer(crew_t *crew) {
    uint64_t reads = bytes_count_transfers(crew_codec(crew)->input);
    bool there = crew->descriptor >= 0 && ((crew_is_plain(crew) && crew->unread == reads) || socket_has_bytes(crew->descriptor));
    if (there) crew->unread = reads;
    return there;
}

bool crew_is_late(crew_t *crew, double now, double seconds) {
    return fifo_overdue(crew_in_flight(crew), now) > seconds && !crew_has_answer(crew);
}

static bool may_take_long(const request_t *request) {
    return request->is_long || !request->service || !request->service->is_known;
}

bool crew_is_held_up(crew_t *crew, double now) {
    VALUE head = fifo_head(crew_in_flight(crew));
    if (head == Qundef || NIL_P(head)) return false;
    return may_take_long(request_of(head)) ? !crew_has_answer(crew) : crew_is_late(crew, now, STUCK);
}

double crew_backlog(crew_t *crew, double now) {
    const fifo_t *fifo = crew_in_flight(crew);
    double expected = fifo_expected(fifo, now);
    return expected > crew_enough(crew) && fifo->backlog < expected && crew_has_answer(crew) ? fifo->backlog : expected;
}
