#include "submit.h"

#include "../../socket/bytes_class.h"

/* The rest of its unit may be answered before its caller abandons it: it has its failure already. */
bool withdraw(session_state_t *session, VALUE object, VALUE failure) {
    postgres_request_t *request = postgres_request_checked(object);
    buffer_t *output = bytes_buffer(session->base.output);
    uint64_t sent = session->base.in_flight.appended - buffer_size(output), from = request->base.offset + request->sent.effect;
    size_t at = fifo_find(&session->base.in_flight.fifo, object);
    if (at == session->base.in_flight.fifo.count || request->sent.effect_size == 0 || from < sent) return false;
    buffer_cut(output, (size_t)(from - sent), request->sent.effect_size);
    in_flight_move_forward(&session->base.in_flight, at + 1, request->sent.effect_size);
    session->base.in_flight.appended -= request->sent.effect_size;
    request->sent.effect_size = 0;
    request->base.failure = failure;
    answer_order_withdraw(&request->answer.order);
    return request->sent.withdrawn = true;
}
