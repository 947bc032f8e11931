/* A thread that ends drops the fibers of its event loop where they wait: none of them leaves. */
#include "crew.h"

#include <math.h>
#include "dispatcher.h"
#include "../trunkline.h"

static bool is_of(const crew_t *crew, VALUE request) { return !NIL_P(request) && request_of(request)->world == crew->world; }

static void forget_parked(crew_t *crew) {
    request_t *parked = crew->parked.newer;
    while (parked != &crew->parked) {
        request_t *next = parked->newer;
        if (parked->world == crew->world) request_unlink(parked);
        parked = next;
    }
}

static VALUE given_up(void) {
    return rb_struct_new(rb_const_get(mTrunkline, rb_intern("GivenUp")), ID2SYM(rb_intern("cancel")), Qtrue);
}

/* The requests that the dropped fibers wait for are given up: their answers are not kept, so another thread that has the future of one gets
 * an error. Futures that no fiber waits for are not aboard, and keep their answers. */
static void forget_in_flight(crew_t *crew, VALUE failure) {
    fifo_t *fifo = crew_in_flight(crew);
    for (size_t at = 0; at < fifo->count; at++) {
        if (!is_of(crew, fifo_at(fifo, at))) continue;
        request_t *request = request_of(fifo_at(fifo, at));
        if (!request->aboard) continue;
        if (!request->done) request->failure = failure;
        request->done = true;
        request->aboard = false;
    }
    if (fifo->kept && fifo->kept->world == crew->world) dispatcher_keeps_no_more(fifo, fifo->kept);
}

static void forget_lead(crew_t *crew) {
    if (is_of(crew, crew->leader)) crew->leader = Qnil;
    if (is_of(crew, crew->heir)) crew->heir = Qnil;
    crew->rest = -INFINITY;
    crew->asleep = crew->turning = false;
}

bool crew_forget_dead(crew_t *crew) {
    if (crew->aboard == 0 || NIL_P(crew->world) || RTEST(rb_funcall(crew->thread, rb_intern("alive?"), 0))) return false;
    VALUE failure = given_up();
    forget_parked(crew);
    forget_in_flight(crew, failure);
    forget_lead(crew);
    crew->aboard = crew->endings = 0;
    return true;
}
