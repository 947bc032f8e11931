#include "session_state.h"

#include "parse_context.h"

VALUE slots_find(session_state_t *session, VALUE statement, uint32_t slot) {
    VALUE found = slot < session->slot_count ? session->slots[slot] : Qnil;
    if (NIL_P(found)) return found;
    const prepared_t *prepared = prepared_of(found);
    bool fresh = prepared->epoch == session->epoch->number && prepared->parse_context == parse_context_of(session, statement_of(statement));
    if (prepared->statement == statement && fresh) return found;
    slots_drop(session, found); /* the slot's former statement left the client's cache, or is outdated, or was parsed in another context */
    return Qnil;
}

void slots_put(session_state_t *session, uint32_t slot, VALUE prepared) {
    if (slot >= session->slot_count) {
        uint32_t count = slot * 2 + 1; /* twice as many each time; a slot's number is below the limit of remembered statements */
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

void slots_forget(session_state_t *session) {
    for (uint32_t at = 0; at < session->slot_count; at++) session->slots[at] = Qnil;
    rb_ary_clear(session->closing);
    session->limits = session->type_checks = false;
    session->guards = 0;
    session->plans = 0;
}
