#include "occupancy.h"

void occupancy_begin(occupancy_t *occupancy) { occupancy->idle.newer = occupancy->idle.older = &occupancy->idle; }

static void link_idle(occupancy_t *occupancy, occupant_t *occupant) {
    occupant->older = occupancy->idle.older;
    occupant->newer = &occupancy->idle;
    occupant->older->newer = occupant->newer->older = occupant;
    occupancy->idle_count++;
}

static void unlink_idle(occupancy_t *occupancy, occupant_t *occupant) {
    occupant->older->newer = occupant->newer;
    occupant->newer->older = occupant->older;
    occupant->older = occupant->newer = NULL;
    occupancy->idle_count--;
}

void occupancy_add(occupancy_t *occupancy, VALUE owner, occupant_t *occupant, bool is_idle, bool has_long) {
    occupant->owner = owner;
    occupant->occupancy = occupancy;
    if (occupant->kept) occupancy->kept++;
    else if (is_idle) link_idle(occupancy, occupant);
    occupancy->longs += has_long;
}

void occupancy_remove(occupancy_t *occupancy, occupant_t *occupant) {
    if (occupant->older) unlink_idle(occupancy, occupant);
    occupant->owner = Qfalse;
    occupant->occupancy = NULL;
}

void occupancy_note_busy(occupant_t *occupant) {
    if (occupant->occupancy && occupant->kept) occupant->occupancy->kept--;
    else if (occupant->occupancy) unlink_idle(occupant->occupancy, occupant);
    occupant->kept = NULL;
}

void occupancy_note_idle(occupant_t *occupant) {
    if (occupant->occupancy) link_idle(occupant->occupancy, occupant);
}

void occupancy_note_long(const occupant_t *occupant, bool has_one) {
    if (!occupant->occupancy) return;
    if (has_one) occupant->occupancy->longs++;
    else occupant->occupancy->longs--;
}

void occupancy_keep(occupant_t *occupant, const struct request *request) {
    unlink_idle(occupant->occupancy, occupant);
    occupant->kept = request;
    occupant->occupancy->kept++;
}

void occupancy_keep_no_more(occupant_t *occupant, const struct request *request) {
    if (occupant->kept != request) return;
    occupant->kept = NULL;
    if (!occupant->occupancy) return;
    occupant->occupancy->kept--;
    occupancy_note_idle(occupant);
}

size_t occupancy_count_longs(const occupant_t *occupant) { return occupant->occupancy ? occupant->occupancy->longs : 0; }
