#include "dispatcher.h"

#include <math.h>
#include "../connection/backlog.h"
#include "../runtime/clock.h"
#include "../connection/ended_scheduler.h"
#include "search.h"
#include "../../common/classes.h"

static void dispatcher_mark(void *data) {
    dispatcher_t *dispatcher = data;
    rb_gc_mark(dispatcher->trunks);
    rb_gc_mark(dispatcher->states);
}

static size_t dispatcher_memsize(const void *data) { return sizeof(dispatcher_t); }

static const rb_data_type_t dispatcher_type = {
    .wrap_struct_name = "Trunkline::Dispatcher",
    .function = {.dmark = dispatcher_mark, .dfree = RUBY_TYPED_DEFAULT_FREE, .dsize = dispatcher_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

dispatcher_t *dispatcher_checked(VALUE object) { return rb_check_typeddata(object, &dispatcher_type); }

static VALUE dispatcher_allocate(VALUE class) {
    dispatcher_t *dispatcher;
    VALUE self = TypedData_Make_Struct(class, dispatcher_t, &dispatcher_type, dispatcher);
    dispatcher->trunks = dispatcher->states = rb_obj_freeze(rb_ary_new());
    occupancy_begin(&dispatcher->occupancy);
    dispatcher->random = 1;
    dispatcher->idle_limit = dispatcher->check_idle_at = HUGE_VAL;
    return self;
}

static VALUE dispatcher_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(dispatcher_allocate(class), argc, argv); }

/* call-seq: Dispatcher.new(connections, most, max_idle)
 *
 * connections: how many stay open. most: how many there are at most. max_idle: seconds of idleness after which one of the others is closed. */
static VALUE dispatcher_initialize(VALUE self, VALUE connections, VALUE most, VALUE max_idle) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    dispatcher->kept_open = NUM2SIZET(connections);
    dispatcher->max_idle = NUM2DBL(max_idle);
    size_t least = dispatcher->kept_open > 1 ? dispatcher->kept_open - 1 : 1, all = NUM2SIZET(most);
    concurrency_limit_begin(&dispatcher->limit, least, all > least + 1 ? all - 1 : least);
    return self;
}

/* --- the account of the connections --- */

void dispatcher_learn(const in_flight_t *in_flight, const request_t *request, double seconds, double delay, double now) {
    if (!in_flight->occupant.owner) return;
    dispatcher_t *dispatcher = dispatcher_of(in_flight->occupant.owner);
    service_time_t *service = request->work.service;
    size_t running = dispatcher->occupancy.longs > request->work.longs_at_send ? dispatcher->occupancy.longs : request->work.longs_at_send;
    service_time_learn_unloaded(service, seconds, running, dispatcher->limit.probe);
    double times = service->unloaded > 0 ? fmax(seconds - delay, 0) / service->unloaded : 1;
    concurrency_limit_measure(&dispatcher->limit, times, seconds, running, request->work.pushed, now);
}

void dispatcher_learn_of_short(const in_flight_t *in_flight) {
    if (in_flight->occupant.owner) dispatcher_of(in_flight->occupant.owner)->limit.shorts++;
}

static void remove_connections(dispatcher_t *dispatcher, VALUE self) {
    for (long at = 0; at < dispatcher->count; at++) {
        in_flight_t *in_flight = connection_in_flight(connection_at(dispatcher, at));
        if (in_flight->occupant.owner == self) occupancy_remove(&dispatcher->occupancy, &in_flight->occupant);
    }
}

/* Raises ArgumentError for a connection that is twice in the list: each is in the ring of idle ones once. */
static void add_connection(dispatcher_t *dispatcher, VALUE self, long at) {
    in_flight_t *in_flight = connection_in_flight(connection_at(dispatcher, at));
    if (in_flight->occupant.owner) {
        dispatcher->count = at;
        rb_raise(rb_eArgError, "a connection is among those to choose from twice");
    }
    in_flight->occupant.index = (size_t)at;
    occupancy_add(&dispatcher->occupancy, self, &in_flight->occupant, in_flight->fifo.count == 0, in_flight->load.longs > 0);
}

/* call-seq: choose_among(trunks, states) -> dispatcher
 *
 * Sets the connections: frozen Arrays of trunks and their ConnectionStates, in the same order. Raises ArgumentError for a connection that another
 * dispatcher chooses among. */
static VALUE dispatcher_choose_among(VALUE self, VALUE trunks, VALUE states) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    Check_Type(trunks, T_ARRAY);
    Check_Type(states, T_ARRAY);
    if (RARRAY_LEN(trunks) != RARRAY_LEN(states)) rb_raise(rb_eArgError, "each trunk has one state");
    for (long at = 0; at < RARRAY_LEN(states); at++) {
        const in_flight_t *in_flight = connection_in_flight(connection_checked(RARRAY_AREF(states, at)));
        if (in_flight->occupant.owner && in_flight->occupant.owner != self) rb_raise(rb_eArgError, "another dispatcher chooses among these connections");
    }
    remove_connections(dispatcher, self);
    dispatcher->trunks = rb_ary_freeze(trunks);
    dispatcher->states = rb_ary_freeze(states);
    dispatcher->count = RARRAY_LEN(states);
    occupancy_restart(&dispatcher->occupancy);
    for (long at = 0; at < dispatcher->count; at++) add_connection(dispatcher, self, at);
    return self;
}

/* call-seq: may_grow = true or false
 *
 * Whether another connection may be opened, or is being opened. */
static VALUE dispatcher_set_may_grow(VALUE self, VALUE may_grow) {
    dispatcher_of(self)->may_grow = RTEST(may_grow);
    return may_grow;
}

/* call-seq: growth_pause_end = Float or nil
 *
 * An attempt to open another connection has failed, and none is made until this time, on the clock of Waiting.now: requests do not wait for one
 * meanwhile. nil: there is no pause. */
static VALUE dispatcher_set_growth_pause_end(VALUE self, VALUE time) {
    dispatcher_of(self)->growth_pause_end = NIL_P(time) ? 0 : NUM2DBL(time);
    return time;
}

/* call-seq: idle_limit = Float
 *
 * Seconds of idleness after which a connection is expired. */
static VALUE dispatcher_set_idle_limit(VALUE self, VALUE seconds) {
    dispatcher_of(self)->idle_limit = NUM2DBL(seconds);
    return seconds;
}

/* call-seq: check_idle_at = Float
 *
 * From this time on, on the clock of Waiting.now, #choose returns nil until the next time is set: the caller has to check the idle connections. */
static VALUE dispatcher_set_check_idle_at(VALUE self, VALUE time) {
    dispatcher_of(self)->check_idle_at = NUM2DBL(time);
    return time;
}

/* --- the choice --- */

/* Forgets dropped callers of other schedulers. Calls Ruby, so another thread may change the connections meanwhile. */
static void forget_dropped(const dispatcher_t *dispatcher, VALUE scheduler) {
    for (long at = 0; at < dispatcher->count; at++) {
        VALUE state = RARRAY_AREF(dispatcher->states, at);
        connection_forget_other_dropped(connection_of(state), scheduler);
        RB_GC_GUARD(state);
    }
}

/* Begins a search that also finds connections which dropped callers have left. */
static search_t search_without_dropped(dispatcher_t *dispatcher, VALUE object) {
    request_t *request = request_checked(object);
    forget_dropped(dispatcher, request->scheduler);
    return search_for(dispatcher, request);
}

/* While the limit holds long requests back or probes, each of them is measured exactly. */
static void request_exact_measurement(const search_t *search) {
    search->request->work.measure_exactly = search->is_long && concurrency_limit_is_binding(&search->dispatcher->limit);
}

/* The connection that the search has found; nil: none. */
static VALUE found(search_t *search) {
    if (search->best < 0) return Qnil;
    search->dispatcher->current = search->best;
    request_exact_measurement(search);
    return RARRAY_AREF(search->dispatcher->trunks, search->best);
}

/* Whether its expiry has passed, its server has changed its role, or it was idle for as long as the server allows. */
bool dispatcher_finds_expired(const dispatcher_t *dispatcher, const connection_t *connection, double now) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    return connection_is_old(connection, now) || (in_flight->fifo.count == 0 && now - in_flight->load.idle_since >= dispatcher->idle_limit);
}

/* Whether the connection that has been idle for longest is superfluous. */
bool dispatcher_has_superfluous(const dispatcher_t *dispatcher, double now) {
    const occupant_t *oldest = dispatcher->occupancy.idle.newer;
    if ((size_t)dispatcher->count <= dispatcher->kept_open || oldest == &dispatcher->occupancy.idle) return false;
    return now - connection_in_flight(connection_at(dispatcher, (long)oldest->index))->load.unused_since > dispatcher->max_idle;
}

/* call-seq: choose(request) -> trunk or nil
 *
 * The connection that should take the request, found in constant time. Nil: none is found at once, one has expired or is superfluous, or the idle
 * ones have to be checked. What dropped callers have left is found by the other methods. */
static VALUE dispatcher_choose(VALUE self, VALUE object) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    if (dispatcher->count == 0) return Qnil;
    search_t search = search_for(dispatcher, request_checked(object));
    if (dispatcher_has_superfluous(dispatcher, search.now) || search.now >= dispatcher->check_idle_at) return Qnil;
    search_likely(&search);
    if (search.best >= 0 && dispatcher_finds_expired(dispatcher, connection_at(dispatcher, search.best), search.now)) return Qnil;
    return found(&search);
}

/* call-seq: find(request) -> trunk or nil
 *
 * The same, after a check of each connection. Nil: none is suitable. */
static VALUE dispatcher_find(VALUE self, VALUE object) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    search_t search = search_without_dropped(dispatcher, object);
    if (!search.is_long || search_is_only(&search) || (dispatcher->occupancy.idle_count > 0 && search_permits_long(&search))) search_all(&search);
    return found(&search);
}

/* --- for callers in the wait queue --- */

/* call-seq: keep_for(request) -> trunk or nil
 *
 * Keeps an idle connection for a long request, where it may have one: no other caller gets it. The request's waiter is active from now on, and leaves
 * it by ConnectionState#leave if it does not use it. */
static VALUE dispatcher_keep_for(VALUE self, VALUE object) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    search_t search = search_without_dropped(dispatcher, object);
    if (!search.is_long || search_is_only(&search) || dispatcher->occupancy.idle_count == 0) return Qnil;
    if (!search_permits_long(&search) || !search_idle(&search)) return Qnil;
    connection_t *connection = connection_at(dispatcher, search.best);
    if (!connection_activate(connection, search.request)) return Qnil;
    request_exact_measurement(&search);
    occupancy_keep(&connection_in_flight(connection)->occupant, search.request);
    return RARRAY_AREF(dispatcher->trunks, search.best);
}

/* As many as there are idle connections, except for the last one, and as the concurrency limit allows. */
static size_t room_for_long(search_t *search) {
    dispatcher_t *dispatcher = search->dispatcher;
    if (dispatcher->occupancy.idle_count == 0 || !search_permits_long(search) || !search_idle(search)) return 0;
    size_t running = occupancy_running(&dispatcher->occupancy), room = (size_t)dispatcher->count - 1 - running;
    size_t may_run = concurrency_limit_room(&dispatcher->limit, running, search->now);
    if (may_run < room) room = may_run;
    return room < dispatcher->occupancy.idle_count ? room : dispatcher->occupancy.idle_count;
}

/* call-seq: room_for(request, most) -> Integer
 *
 * How many requests like this one could be sent now; counted up to `most`. */
static VALUE dispatcher_room_for(VALUE self, VALUE object, VALUE most) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    search_t search = search_without_dropped(dispatcher, object);
    size_t room = 0, enough = NUM2SIZET(most);
    if (search.is_long && !search_is_only(&search)) return SIZET2NUM(room_for_long(&search));
    for (long at = 0; at < dispatcher->count && room < enough; at++) room += search_room_on(&search, connection_at(dispatcher, at), enough - room);
    return SIZET2NUM(room);
}

/* call-seq: accepts?(connection, request) -> true or false
 *
 * Whether the request could be sent over this connection now. */
static VALUE dispatcher_accepts(VALUE self, VALUE state, VALUE object) {
    connection_t *connection = connection_checked(state);
    connection_forget_other_dropped(connection, request_checked(object)->scheduler);
    search_t search = search_for(dispatcher_of(self), request_of(object));
    return RBOOL(search_room_on(&search, connection, 1) > 0);
}

/* call-seq: unread_for(request) -> trunk or nil
 *
 * A connection whose answers no caller reads; a caller that waits for a connection makes room by reading there. */
static VALUE dispatcher_unread_for(VALUE self, VALUE object) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    search_t search = search_without_dropped(dispatcher, object);
    search_unread(&search);
    return search.best < 0 ? Qnil : RARRAY_AREF(dispatcher->trunks, search.best);
}

/* Whether requests are in flight and no caller is active. Connections that a forked child has inherited do not count. */
static bool is_unattended(const connection_t *connection) {
    return connection_in_flight(connection)->fifo.count > 0 && connection_is_deserted(connection) && connection->generation == process_generation;
}

/* call-seq: unattended? -> true or false
 *
 * Whether a connection has requests in flight, and no active caller to read their answers. */
static VALUE dispatcher_is_unattended(VALUE self) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    for (long at = 0; at < dispatcher->count; at++) {
        if (is_unattended(connection_at(dispatcher, at))) return Qtrue;
    }
    return Qfalse;
}

/* Whether an abandoned request blocks the connection. */
static bool is_blocked_by_abandoned(connection_t *connection) {
    return connection_has_abandoned_head(connection) && connection_head_blocks(connection, clock_now());
}

/* call-seq: unread -> Array
 *
 * The unattended connections that have unread bytes in their socket, or an abandoned head that blocks them. */
static VALUE dispatcher_unread(VALUE self) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    VALUE unread = rb_ary_new();
    for (long at = 0; at < dispatcher->count; at++) {
        connection_t *connection = connection_at(dispatcher, at);
        if (is_unattended(connection) && (connection_has_answer(connection) || is_blocked_by_abandoned(connection))) rb_ary_push(unread, RARRAY_AREF(dispatcher->trunks, at));
    }
    return unread;
}

/* call-seq: should_open_another?(request, opening) -> true or false
 *
 * Whether another connection should be opened for a request that none should take, while so many are being opened. */
static VALUE dispatcher_should_open_another(VALUE self, VALUE object, VALUE opening) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    search_t search = search_for(dispatcher, request_checked(object));
    size_t others = NUM2SIZET(opening);
    if (!dispatcher->may_grow) return Qfalse;
    if (search.is_long) return RBOOL(concurrency_limit_room(&dispatcher->limit, occupancy_running(&dispatcher->occupancy) + others, search.now) > 0);
    return RBOOL(others == 0 && search_all_blocked(&search));
}

/* call-seq: superfluous -> trunk or nil
 *
 * A connection that was idle for longer than max_idle. */
static VALUE dispatcher_superfluous(VALUE self) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    return dispatcher_has_superfluous(dispatcher, clock_now()) ? RARRAY_AREF(dispatcher->trunks, (long)dispatcher->occupancy.idle.newer->index) : Qnil;
}

/* call-seq: expired -> trunk or nil
 *
 * A connection whose expiry has passed, or that the server is about to end because it is idle. */
static VALUE dispatcher_expired(VALUE self) {
    dispatcher_t *dispatcher = dispatcher_of(self);
    double now = clock_now();
    for (long at = 0; at < dispatcher->count; at++) {
        if (dispatcher_finds_expired(dispatcher, connection_at(dispatcher, at), now)) return RARRAY_AREF(dispatcher->trunks, at);
    }
    return Qnil;
}

static VALUE dispatcher_longs(VALUE self) { return SIZET2NUM(dispatcher_of(self)->occupancy.longs); }
static VALUE dispatcher_idle_count(VALUE self) { return SIZET2NUM(dispatcher_of(self)->occupancy.idle_count); }

/* call-seq: allowed -> Integer
 *
 * Long requests that may run at once now. */
static VALUE dispatcher_allowed(VALUE self) { return SIZET2NUM((size_t)dispatcher_of(self)->limit.allowed); }

void Init_trunkline_dispatcher(void) {
    VALUE class = rb_define_class_under(mTrunkline, "Dispatcher", rb_cObject);
    trunkline_define_new(class, dispatcher_new);
    rb_define_method(class, "initialize", dispatcher_initialize, 3);
    rb_define_method(class, "choose_among", dispatcher_choose_among, 2);
    rb_define_method(class, "may_grow=", dispatcher_set_may_grow, 1);
    rb_define_method(class, "growth_pause_end=", dispatcher_set_growth_pause_end, 1);
    rb_define_method(class, "idle_limit=", dispatcher_set_idle_limit, 1);
    rb_define_method(class, "check_idle_at=", dispatcher_set_check_idle_at, 1);
    rb_define_method(class, "choose", dispatcher_choose, 1);
    rb_define_method(class, "find", dispatcher_find, 1);
    rb_define_method(class, "keep_for", dispatcher_keep_for, 1);
    rb_define_method(class, "room_for", dispatcher_room_for, 2);
    rb_define_method(class, "accepts?", dispatcher_accepts, 2);
    rb_define_method(class, "unread_for", dispatcher_unread_for, 1);
    rb_define_method(class, "unattended?", dispatcher_is_unattended, 0);
    rb_define_method(class, "unread", dispatcher_unread, 0);
    rb_define_method(class, "should_open_another?", dispatcher_should_open_another, 2);
    rb_define_method(class, "superfluous", dispatcher_superfluous, 0);
    rb_define_method(class, "expired", dispatcher_expired, 0);
    rb_define_method(class, "longs", dispatcher_longs, 0);
    rb_define_method(class, "idle_count", dispatcher_idle_count, 0);
    rb_define_method(class, "allowed", dispatcher_allowed, 0);
}
