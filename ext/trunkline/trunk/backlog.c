/* Seconds of work that lie before a crew's server, and whether it is late with it. */
#include "crew.h"

#include "../socket/bytes_class.h"
#include "../socket/socket.h"

double crew_enough(const crew_t *crew) { return SHORT_BACKLOG + crew_in_flight(crew)->round_trip; }

/* What was seen lies there until it is read; but for what is encrypted, which may come to nothing then. */
static bool answer_lies_there(crew_t *crew) {
    uint64_t reads = bytes_count_transfers(crew_codec(crew)->input);
    bool there = crew->descriptor >= 0 && ((crew_is_plain(crew) && crew->unread == reads) || socket_has_bytes(crew->descriptor));
    if (there) crew->unread = reads;
    return there;
}

bool crew_is_late(crew_t *crew, double now, double seconds) {
    return fifo_overdue(crew_in_flight(crew), now) > seconds && !answer_lies_there(crew);
}

double crew_backlog(crew_t *crew, double now) {
    const fifo_t *fifo = crew_in_flight(crew);
    double expected = fifo_expected(fifo, now);
    return expected > crew_enough(crew) && fifo->backlog < expected && answer_lies_there(crew) ? fifo->backlog : expected;
}
