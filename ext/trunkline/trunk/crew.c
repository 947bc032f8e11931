#include "crew.h"

#include <math.h>
#include "clock.h"
#include "deadline.h"
#include "dispatcher.h"
#include "../trunkline.h"

static VALUE sym_first, sym_later;

static void crew_mark(void *data) {
    crew_t *crew = data;
    rb_gc_mark(crew->codec);
    rb_gc_mark(crew->wire);
    rb_gc_mark(crew->io);
    rb_gc_mark(crew->pool);
    rb_gc_mark(crew->woken);
    rb_gc_mark(crew->world);
    rb_gc_mark(crew->thread);
    rb_gc_mark(crew->leader);
    rb_gc_mark(crew->heir);
    cancelling_mark(&crew->cancelling);
}

static void crew_free(void *data) {
    crew_t *crew = data;
    while (crew->parked.newer != &crew->parked) request_unlink(crew->parked.newer);
    ruby_xfree(crew);
}

static size_t crew_memsize(const void *data) { return sizeof(crew_t); }

static const rb_data_type_t crew_type = {
    .wrap_struct_name = "Trunkline::Crew",
    .function = {.dmark = crew_mark, .dfree = crew_free, .dsize = crew_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE crew_allocate(VALUE class) {
    crew_t *crew;
    VALUE self = TypedData_Make_Struct(class, crew_t, &crew_type, crew);
    crew->parked.older = crew->parked.newer = &crew->parked;
    crew->wire = crew->io = crew->pool = crew->woken = crew->codec = crew->world = crew->thread = crew->leader = crew->heir = Qnil;
    cancelling_clear(&crew->cancelling);
    crew->generation = process_generation;
    crew->earliest = INFINITY;
    crew->rest = -INFINITY;
    crew->unread = UINT64_MAX;
    crew->most_requests = SIZE_MAX;
    crew->most_bytes = UINT64_MAX;
    crew->expiry = HUGE_VAL;
    return self;
}

static VALUE crew_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(crew_allocate(class), argc, argv); }

crew_t *crew_checked(VALUE object) { return rb_check_typeddata(object, &crew_type); }

/* call-seq: Crew.new(codec, descriptor = nil)
 *
 * descriptor: the number of the one that the codec's bytes come from. */
static VALUE crew_initialize(int argc, VALUE *argv, VALUE self) {
    crew_t *crew = crew_of(self);
    VALUE codec, descriptor;
    rb_scan_args(argc, argv, "11", &codec, &descriptor);
    rb_check_typeddata(codec, &codec_base_type);
    crew->codec = codec;
    crew_in_flight(crew)->idle_since = clock_now();
    crew->descriptor = NIL_P(descriptor) ? -1 : NUM2INT(descriptor);
    return self;
}

/* call-seq: equip(wire, io, pool, woken) -> crew
 *
 * What its members drive the trunk with. io: where a wire that adds nothing to the bytes reads and writes, or nil. */
static VALUE crew_equip(VALUE self, VALUE wire, VALUE io, VALUE pool, VALUE woken) {
    crew_t *crew = crew_of(self);
    Check_Type(woken, T_ARRAY);
    if (!NIL_P(io)) Check_Type(io, T_FILE);
    crew->wire = wire;
    crew->io = io;
    crew->pool = pool;
    crew->woken = woken;
    return self;
}

/* call-seq: unplug -> crew
 *
 * The descriptor is closed: the system may give its number to another file. */
static VALUE crew_unplug(VALUE self) {
    crew_of(self)->descriptor = -1;
    return self;
}

static void take_aboard(crew_t *crew, request_t *request) {
    if (request->aboard) return;
    crew->aboard++;
    crew->world = request->world;
    crew->thread = request->thread; /* another thread may board the request for its caller: see Dispatcher#keep_for */
    request->aboard = true;
}

bool crew_board(crew_t *crew, request_t *request) {
    if (request->aboard) return true;
    if (!crew_admits(crew, request->world, request->pinned)) return false;
    take_aboard(crew, request);
    return true;
}

static void park(crew_t *crew, request_t *request) {
    request->older = crew->parked.older;
    request->newer = &crew->parked;
    request->older->newer = request;
    crew->parked.older = request;
    request->state = WAITER_PARKED;
}

/* call-seq: bound(requests, bytes, expiry) -> crew
 *
 * The trunk has room while it has fewer requests and bytes than these in flight, and is expired when the expiry, on the clock
 * of Waiting.now, has come. */
static VALUE crew_bound(VALUE self, VALUE requests, VALUE bytes, VALUE expiry) {
    crew_t *crew = crew_of(self);
    crew->most_requests = NUM2SIZET(requests);
    crew->most_bytes = NUM2ULL(bytes);
    crew->expiry = NUM2DBL(expiry);
    return self;
}

/* call-seq: room? -> true or false */
static VALUE crew_room(VALUE self) { return RBOOL(crew_has_room(crew_of(self))); }

/* call-seq: expired? -> true or false */
static VALUE crew_is_expired(VALUE self) { return RBOOL(clock_now() >= crew_of(self)->expiry); }

/* call-seq: admits?(world) -> true or false
 *
 * May a waiter of this world, which shares, come aboard now? */
static VALUE crew_may_come(VALUE self, VALUE world) { return RBOOL(crew_takes(crew_of(self), world, false)); }

/* call-seq: backlog -> Float
 *
 * Seconds until the server is expected to be through with what is in flight. */
static VALUE crew_get_backlog(VALUE self) { return DBL2NUM(crew_backlog(crew_of(self), clock_now())); }

/* call-seq: late? -> true or false
 *
 * Does what the server works on take longer than was expected? */
static VALUE crew_get_late(VALUE self) { return RBOOL(crew_is_late(crew_of(self), clock_now(), SHORT_BACKLOG)); }

/* call-seq: round_trip -> Float or nil
 *
 * Seconds; the shortest seen. Nil: none has been seen yet. */
static VALUE crew_get_round_trip(VALUE self) {
    double seconds = crew_in_flight(crew_of(self))->round_trip;
    return seconds == 0 ? Qnil : DBL2NUM(seconds);
}

/* call-seq: round_trip = Float
 *
 * It is known to be no longer than that. */
static VALUE crew_set_round_trip(VALUE self, VALUE seconds) {
    crew_in_flight(crew_of(self))->round_trip = NUM2DBL(seconds);
    return seconds;
}

/* call-seq: idle_since -> Float
 *
 * When the last request was answered, on the clock of Waiting.now; or the crew was made, where there was none. */
static VALUE crew_idle_since(VALUE self) { return DBL2NUM(crew_in_flight(crew_of(self))->idle_since); }

/* call-seq: reserve -> true or false
 *
 * Keeps the trunk for pinned requests from now on. False: it is not deserted, or reserved already, or shut. */
static VALUE crew_reserve(VALUE self) {
    crew_t *crew = crew_of(self);
    if (!crew_takes(crew, Qnil, false) || !crew_is_deserted(crew)) return Qfalse;
    crew->reserved = true;
    return Qtrue;
}

static VALUE crew_is_reserved(VALUE self) { return RBOOL(crew_of(self)->reserved); }

/* call-seq: release -> crew
 *
 * Callers of every world may come aboard again. */
static VALUE crew_release(VALUE self) {
    crew_of(self)->reserved = false;
    return self;
}

/* call-seq: begin_ending -> crew
 *
 * A caller ends a request of its own: until it says finish_ending, no caller gets the trunk for its own. */
static VALUE crew_begin_ending(VALUE self) {
    crew_of(self)->endings++;
    return self;
}

/* call-seq: finish_ending -> true or false
 *
 * Is the trunk deserted now? */
static VALUE crew_finish_ending(VALUE self) {
    if (crew_of(self)->endings > 0) crew_of(self)->endings--; /* none is left where others were forgotten */
    return RBOOL(crew_is_deserted(crew_of(self)));
}

/* call-seq: deserted? -> true or false */
static VALUE crew_get_deserted(VALUE self) { return RBOOL(crew_forget_dead(crew_of(self)) || crew_is_deserted(crew_of(self))); }

/* call-seq: enter(request) -> :first, :later or nil
 *
 * Takes the request's waiter aboard: with nothing in flight before it, or behind others. Nil: the trunk is busy for
 * another world, or shut. */
VALUE crew_enter(VALUE self, VALUE request) {
    crew_t *crew = crew_of(self);
    if (crew->shut || !crew_board(crew, request_checked(request))) return Qnil;
    return crew_in_flight(crew)->count == 0 ? sym_first : sym_later;
}

static bool board_to_wait(crew_t *crew, request_t *request) {
    if (!request->aboard && (crew->generation != process_generation || (crew->aboard > 0 && crew->world != request->world && !crew_forget_dead(crew)))) return false;
    take_aboard(crew, request);
    return true;
}

/* call-seq: lead(request) -> true, false, Float or nil
 *
 * True: the waiter leads now, or did already. False: it is parked and must sleep until it is woken, if only by a leader that looks at the
 * clock. A Float: it is parked, and must not sleep longer than until then, for the leader will. Nil: it has its answer.
 *
 * Also on a trunk that has been reserved for another caller since: what it waits for is in flight here. */
VALUE crew_lead(VALUE self, VALUE object) {
    crew_t *crew = crew_of(self);
    request_t *request = request_checked(object);
    if (crew->heir == object) crew->heir = Qnil;
    if (request->done) return Qnil;
    if (request->until < crew->earliest) crew->earliest = request->until;
    if (NIL_P(crew->leader) && board_to_wait(crew, request)) crew->leader = object;
    if (crew->leader == object) return Qtrue;
    park(crew, request);
    return request->until < crew->rest ? DBL2NUM(request->until) : Qfalse;
}

/* call-seq: take_lead(request) -> true or false
 *
 * False: another waiter leads, or is about to, or those aboard are of another world; this one is not parked. */
static VALUE crew_take_lead(VALUE self, VALUE object) {
    crew_t *crew = crew_of(self);
    if (crew_is_led(crew) || !board_to_wait(crew, request_checked(object))) return Qfalse;
    crew->leader = object;
    return Qtrue;
}

/* call-seq: rest -> Float or nil
 *
 * The leader goes to sleep, and looks at the clock then at the latest; nil: no waiter has a deadline. */
VALUE crew_rest(VALUE self) {
    crew_t *crew = crew_of(self);
    crew->rest = fmin(crew->earliest, crew->cancelling.again);
    return deadline_value(crew->rest);
}

/* Takes the parked whose time is over out of the list, and finds the earliest of the others. To push may collect garbage,
 * and with it parked requests: the list is looked at from its beginning again. */
static void expire(crew_t *crew, double now, VALUE woken) {
    double earliest = NIL_P(crew->leader) ? INFINITY : request_of(crew->leader)->until;
    request_t *parked = crew->parked.newer;
    while (parked != &crew->parked) {
        if (parked->until <= now && request_wake_up(parked)) {
            rb_ary_push(woken, parked->self);
            parked = crew->parked.newer;
        } else {
            earliest = fmin(earliest, parked->until);
            parked = parked->newer;
        }
    }
    crew->earliest = earliest;
}

/* call-seq: rise(woken) -> crew
 *
 * The leader is awake. The parked waiters whose deadlines have passed are pushed to the Array `woken`, and are owed
 * a wake-up. */
VALUE crew_rise(VALUE self, VALUE woken) {
    crew_t *crew = crew_of(self);
    crew->rest = -INFINITY;
    if (isinf(crew->earliest)) return self;
    double now = clock_now();
    if (now >= crew->earliest) expire(crew, now, woken);
    return self;
}

/* The next leader: the newest of those parked now, of the crew's world while any of it is aboard. That one need
 * not be parked here: a caller may be aboard only to keep the trunk. */
static request_t *successor(crew_t *crew) {
    for (request_t *parked = crew->parked.older; parked != &crew->parked; parked = parked->older) {
        if (crew->aboard == 0 || parked->aboard || crew_admits(crew, parked->world, parked->pinned)) return parked;
    }
    return NULL;
}

VALUE crew_resign(crew_t *crew, VALUE object) {
    if (crew->leader == object) {
        crew->leader = Qnil;
        crew->rest = -INFINITY;
    }
    if (crew->heir == object) crew->heir = Qnil;
    if (crew_is_led(crew)) return Qnil;
    request_t *next = successor(crew);
    if (!next) return Qfalse;
    request_wake_up(next);
    return crew->heir = next->self;
}

/* call-seq: leave(request) -> nil, request or false
 *
 * The request's waiter goes, for whatever reason: it is taken out of every list, and gives up the lead if it had it: see crew_resign for
 * what is returned. */
VALUE crew_leave(VALUE self, VALUE object) {
    crew_t *crew = crew_of(self);
    request_t *request = request_checked(object);
    request_unlink(request);
    request->state = WAITER_RUNNING;
    if (request->aboard) {
        request->aboard = false;
        if (crew->aboard > 0 && --crew->aboard == 0) crew->world = crew->thread = Qnil;
        dispatcher_keeps_no_more(crew_in_flight(crew), request);
    }
    return crew_resign(crew, object);
}

/* call-seq: led? -> true or false
 *
 * Is there a leader, or one on its way? */
static VALUE crew_get_led(VALUE self) { return RBOOL(crew_is_led(crew_of(self))); }

/* call-seq: head -> Request or nil
 *
 * What the server works on now. */
static VALUE crew_head(VALUE self) {
    VALUE head = fifo_head(crew_in_flight(crew_of(self)));
    return head == Qundef ? Qnil : head;
}

/* call-seq: settled? -> true or false
 *
 * Is there nothing in flight whose answer a caller may still ask for? */
static VALUE crew_is_settled(VALUE self) {
    const fifo_t *fifo = crew_in_flight(crew_of(self));
    for (size_t at = 0; at < fifo->count; at++) {
        VALUE request = fifo_at(fifo, at);
        if (!NIL_P(request) && !request_of(request)->done) return Qfalse;
    }
    return Qtrue;
}

/* call-seq: aboard -> Integer */
static VALUE crew_get_aboard(VALUE self) { return SIZET2NUM(crew_of(self)->aboard); }

/* call-seq: inherited? -> true or false
 *
 * Was this made by a parent process? */
static VALUE crew_is_inherited(VALUE self) { return RBOOL(crew_of(self)->generation != process_generation); }

void Init_trunkline_crew(void) {
    sym_first = ID2SYM(rb_intern("first"));
    sym_later = ID2SYM(rb_intern("later"));
    VALUE class = rb_define_class_under(mTrunkline, "Crew", rb_cObject);
    trunkline_define_new(class, crew_new);
    rb_define_method(class, "initialize", crew_initialize, -1);
    rb_define_method(class, "equip", crew_equip, 4);
    rb_define_method(class, "unplug", crew_unplug, 0);
    rb_define_method(class, "bound", crew_bound, 3);
    rb_define_method(class, "room?", crew_room, 0);
    rb_define_method(class, "expired?", crew_is_expired, 0);
    rb_define_method(class, "admits?", crew_may_come, 1);
    rb_define_method(class, "reserve", crew_reserve, 0);
    rb_define_method(class, "reserved?", crew_is_reserved, 0);
    rb_define_method(class, "release", crew_release, 0);
    rb_define_method(class, "begin_ending", crew_begin_ending, 0);
    rb_define_method(class, "finish_ending", crew_finish_ending, 0);
    rb_define_method(class, "deserted?", crew_get_deserted, 0);
    rb_define_method(class, "enter", crew_enter, 1);
    rb_define_method(class, "lead", crew_lead, 1);
    rb_define_method(class, "take_lead", crew_take_lead, 1);
    rb_define_method(class, "rest", crew_rest, 0);
    rb_define_method(class, "rise", crew_rise, 1);
    rb_define_method(class, "leave", crew_leave, 1);
    rb_define_method(class, "head", crew_head, 0);
    rb_define_method(class, "settled?", crew_is_settled, 0);
    rb_define_method(class, "led?", crew_get_led, 0);
    rb_define_method(class, "backlog", crew_get_backlog, 0);
    rb_define_method(class, "late?", crew_get_late, 0);
    rb_define_method(class, "round_trip", crew_get_round_trip, 0);
    rb_define_method(class, "round_trip=", crew_set_round_trip, 1);
    rb_define_method(class, "idle_since", crew_idle_since, 0);
    rb_define_method(class, "aboard", crew_get_aboard, 0);
    rb_define_method(class, "inherited?", crew_is_inherited, 0);
}
