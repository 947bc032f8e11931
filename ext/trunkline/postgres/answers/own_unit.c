#include "own_unit.h"

#include "../../trunk/runtime/protocol_error.h"

/* The awaited message, if not a number of CloseComplete. */
#define PARSE (-1)   /* ParseComplete */
#define COMMAND (-2) /* CommandComplete */

static void push(session_state_t *session, long awaited) {
    rb_ary_push(session->own_units, LONG2FIX(awaited));
    in_flight_push(&session->base.in_flight, Qnil);
}

void own_unit_of_closes(session_state_t *session, long closes) { push(session, closes); }

void own_unit_of_parse(session_state_t *session) { push(session, PARSE); }

void own_unit_of_command(session_state_t *session) { push(session, COMMAND); }

static long awaited(const session_state_t *session) { return FIX2LONG(rb_ary_entry(session->own_units, 0)); }

/* What is awaited after this message; after an error, nothing. */
static long behind(long awaited, char type) {
    if (type == 'E') return 0;
    if ((type == '1' && awaited == PARSE) || (type == 'C' && awaited == COMMAND)) return 0;
    if (type == '3' && awaited > 0) return awaited - 1;
    protocol_error("the server sent message '%c', which cannot come at this point of an answer", type);
}

void own_unit_answer(session_state_t *session, const frame_t *frame) {
    rb_ary_store(session->own_units, 0, LONG2FIX(behind(awaited(session), frame->type)));
}

bool own_unit_is_complete(const session_state_t *session) { return awaited(session) == 0; }

void own_unit_end(session_state_t *session) { rb_ary_shift(session->own_units); }
