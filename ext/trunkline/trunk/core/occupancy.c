#include "occupancy.h"

void occupancy_begin(occupancy_t *occupancy) { occupancy->idle.newer = occupancy->idle.older = &occupancy->idle; }

static void link_idle(occupancy_t *occupancy, fifo_t *fifo) {
    fifo->older = occupancy->idle.older;
    fifo->newer = &occupancy->idle;
    fifo->older->newer = fifo->newer->older = fifo;
    occupancy->idle_count++;
}

static void unlink_idle(occupancy_t *occupancy, fifo_t *fifo) {
    fifo->older->newer = fifo->newer;
    fifo->newer->older = fifo->older;
    fifo->older = fifo->newer = NULL;
    occupancy->idle_count--;
}

void occupancy_add(occupancy_t *occupancy, VALUE owner, fifo_t *fifo) {
    fifo->dispatcher = owner;
    fifo->occupancy = occupancy;
    if (fifo->kept) occupancy->kept++;
    else if (fifo->count == 0) link_idle(occupancy, fifo);
    occupancy->longs += fifo->longs > 0;
}

void occupancy_remove(occupancy_t *occupancy, fifo_t *fifo) {
    if (fifo->older) unlink_idle(occupancy, fifo);
    fifo->dispatcher = Qfalse;
    fifo->occupancy = NULL;
}

void occupancy_note_busy(fifo_t *fifo) {
    if (fifo->occupancy && fifo->kept) fifo->occupancy->kept--;
    else if (fifo->occupancy) unlink_idle(fifo->occupancy, fifo);
    fifo->kept = NULL;
}

void occupancy_note_idle(fifo_t *fifo) {
    if (fifo->occupancy) link_idle(fifo->occupancy, fifo);
}

void occupancy_note_long(fifo_t *fifo, bool has_one) {
    if (!fifo->occupancy) return;
    if (has_one) fifo->occupancy->longs++;
    else fifo->occupancy->longs--;
}

void occupancy_keep(fifo_t *fifo, const struct request *request) {
    unlink_idle(fifo->occupancy, fifo);
    fifo->kept = request;
    fifo->occupancy->kept++;
}

void occupancy_keep_no_more(fifo_t *fifo, const struct request *request) {
    if (fifo->kept != request) return;
    fifo->kept = NULL;
    if (!fifo->occupancy) return;
    fifo->occupancy->kept--;
    occupancy_note_idle(fifo);
}

size_t occupancy_count_longs(const fifo_t *fifo) { return fifo->occupancy ? fifo->occupancy->longs : 0; }
