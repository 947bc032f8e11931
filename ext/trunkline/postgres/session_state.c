#include "session_state.h"

#include "statement.h"

#define FIRST_CAPACITY 64

static void fifo_grow(session_state_t *session) {
    size_t capacity = session->fifo_capacity ? session->fifo_capacity * 2 : FIRST_CAPACITY;
    VALUE *grown = ALLOC_N(VALUE, capacity);
    for (size_t at = 0; at < session->in_flight; at++) grown[at] = fifo_at(session, at);
    ruby_xfree(session->fifo);
    session->fifo = grown;
    session->fifo_capacity = capacity;
    session->first = 0;
}

void fifo_push(session_state_t *session, VALUE request) {
    if (session->in_flight == session->fifo_capacity) fifo_grow(session);
    session->fifo[(session->first + session->in_flight) & (session->fifo_capacity - 1)] = request;
    session->in_flight++;
}

VALUE fifo_shift(session_state_t *session) {
    VALUE request = session->fifo[session->first];
    session->first = (session->first + 1) & (session->fifo_capacity - 1);
    session->in_flight--;
    return request;
}

VALUE slots_find(session_state_t *session, VALUE statement, uint32_t slot) {
    VALUE found = slot < session->slot_count ? session->slots[slot] : Qnil;
    if (NIL_P(found) || prepared_of(found)->statement == statement) return found;
    slots_drop(session, found); /* the slot's former statement left the client's cache */
    return Qnil;
}

void slots_put(session_state_t *session, uint32_t slot, VALUE prepared) {
    if (slot >= session->slot_count) {
        uint32_t count = slot + FIRST_CAPACITY;
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
