#include "session_state.h"

#include "statement.h"

#define SLOTS_AT_A_TIME 64

VALUE slots_find(session_state_t *session, VALUE statement, uint32_t slot) {
    VALUE found = slot < session->slot_count ? session->slots[slot] : Qnil;
    if (NIL_P(found) || prepared_of(found)->statement == statement) return found;
    slots_drop(session, found); /* the slot's former statement left the client's cache */
    return Qnil;
}

void slots_put(session_state_t *session, uint32_t slot, VALUE prepared) {
    if (slot >= session->slot_count) {
        uint32_t count = slot + SLOTS_AT_A_TIME;
        REALLOC_N(session->slots, VALUE, count);
        while (session->slot_count < count) session->slots[session->slot_count++] = Qnil;
    }
    session->slots[slot] = prepared;
}

void slots_drop(session_state_t *session, VALUE dropped) {
    prepared_t *prepared = prepared_of(dropped);
    uint32_t slot = statement_of(prepared->statement)->slot;
    if (slot < session->slot_count && session->slots[slot] == dropped) session->slots[slot] = Qnil;
    if (prepared->stale) return;
    prepared->stale = true;
    rb_ary_push(session->closing, dropped);
}
