/* Fibers that their event loop has dropped where they waited: none of them leaves. A thread that ends drops them, and so does an event loop that
 * is closed before they have ended. */
#include "crew.h"

#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "dispatcher.h"
#include "../trunkline.h"

/* Ruby has a scheduler run its fibers to their end, by close, before the thread has another scheduler or none. So when the thread itself
 * goes on without the scheduler, close has returned. Nothing less will do: closed? of a scheduler may be true while its fibers run within
 * close, which other threads see, and its own thread asks in the middle of. */
bool world_is_over(VALUE world, VALUE thread) {
    if (!RTEST(rb_funcall(thread, rb_intern("alive?"), 0))) return true;
    return thread == rb_thread_current() && rb_fiber_scheduler_get() != world;
}

static bool is_of(const crew_t *crew, VALUE request) { return !NIL_P(request) && request_of(request)->world == crew->world; }

/* Should the fiber go on after all, it finds that it has left, and is owed no wake-up. */
static void forget_parked(crew_t *crew) {
    request_t *parked = crew->parked.newer;
    while (parked != &crew->parked) {
        request_t *next = parked->newer;
        if (parked->world == crew->world && request_wake_up(parked)) {
            parked->delivered = true;
            parked->aboard = false;
        }
        parked = next;
    }
}

static void forget_waiter(const crew_t *crew, VALUE *role) {
    if (!is_of(crew, *role)) return;
    request_of(*role)->aboard = false;
    *role = Qnil;
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
    forget_waiter(crew, &crew->leader);
    forget_waiter(crew, &crew->heir);
    crew->rest = -INFINITY;
    crew->asleep = crew->turning = false;
}

bool crew_forget_dead(crew_t *crew) {
    if (crew->aboard == 0 || NIL_P(crew->world) || !world_is_over(crew->world, crew->thread)) return false;
    VALUE failure = given_up();
    forget_parked(crew);
    forget_in_flight(crew, failure);
    forget_lead(crew);
    crew->aboard = crew->endings = 0;
    crew->world = crew->thread = Qnil;
    return true;
}

/* call-seq: forget_dead -> true or false
 *
 * Where the callers aboard are fibers that will never go on, they leave. True: they did. */
static VALUE crew_forgets_dead(VALUE self) { return RBOOL(crew_forget_dead(crew_of(self))); }

/* call-seq: dropped? -> true or false
 *
 * Is its waiter a fiber of an event loop that will never go on? */
static VALUE request_is_dropped(VALUE self) {
    const request_t *request = request_of(self);
    return RBOOL(!NIL_P(request->world) && world_is_over(request->world, request->thread));
}

void Init_trunkline_dead_world(void) {
    rb_define_method(cTrunklineRequest, "dropped?", request_is_dropped, 0);
    rb_define_method(rb_const_get(mTrunkline, rb_intern("Crew")), "forget_dead", crew_forgets_dead, 0);
}
