#include "connection.h"

#include <math.h>
#include "../requests/occupancy.h"

static void connection_mark(void *data) {
    connection_t *connection = data;
    rb_gc_mark(connection->codec);
    rb_gc_mark(connection->wire);
    rb_gc_mark(connection->io);
    rb_gc_mark(connection->tls);
    rb_gc_mark(connection->callers_waiting_flag);
    rb_gc_mark(connection->woken);
    rb_gc_mark(connection->scheduler);
    rb_gc_mark(connection->thread);
    rb_gc_mark(connection->leader);
    rb_gc_mark(connection->next_leader);
    rb_gc_mark(connection->cancelling.canceller);
    rb_gc_mark(connection->cancelling.fence);
    rb_gc_mark(connection->stall.displaced);
}

static void connection_free(void *data) {
    connection_t *connection = data;
    while (connection->parked.newer != &connection->parked) request_unlink(connection->parked.newer);
    ruby_xfree(connection);
}

static size_t connection_memsize(const void *data) { return sizeof(connection_t); }

static const rb_data_type_t connection_type = {
    .wrap_struct_name = "Trunkline::ConnectionState",
    .function = {.dmark = connection_mark, .dfree = connection_free, .dsize = connection_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

VALUE connection_allocate(VALUE class) {
    connection_t *connection;
    VALUE self = TypedData_Make_Struct(class, connection_t, &connection_type, connection);
    connection->parked.older = connection->parked.newer = &connection->parked;
    connection->codec = connection->wire = connection->io = connection->tls = connection->callers_waiting_flag = connection->woken = Qnil;
    connection->scheduler = connection->thread = connection->leader = connection->next_leader = Qnil;
    connection->cancelling = (cancelling_t){.canceller = Qnil, .fence = Qnil, .recheck_at = INFINITY};
    connection->silence = (silence_t){.after = INFINITY};
    connection->stall = (stall_t){.displaced = Qnil, .elected = Qnil, .wakes_by = INFINITY};
    connection->generation = process_generation;
    connection->earliest_timeout = INFINITY;
    connection->leader_sleeps_until = -INFINITY;
    connection->unread = UINT64_MAX;
    connection->max_requests = SIZE_MAX;
    connection->max_bytes = UINT64_MAX;
    connection->expiry = HUGE_VAL;
    return self;
}

connection_t *connection_checked(VALUE object) { return rb_check_typeddata(object, &connection_type); }

static void activate(connection_t *connection, request_t *request) {
    if (request->active) return;
    if (connection->active++ == 0) connection->stall.wakes_by = INFINITY;
    connection->scheduler = request->scheduler;
    connection->thread = request->thread; /* another thread may activate the waiter for it: see Dispatcher#keep_for */
    request->active = true;
}

bool connection_activate(connection_t *connection, request_t *request) {
    if (request->active) return true;
    if (!connection_admits(connection, request->scheduler, request->pinned)) return false;
    activate(connection, request);
    return true;
}

bool connection_activate_to_wait(connection_t *connection, request_t *request) {
    if (request->active) return true;
    if (connection->generation != process_generation) return false;
    if (connection->active > 0 && connection->scheduler != request->scheduler) return false;
    activate(connection, request);
    return true;
}

void connection_deactivate(connection_t *connection, request_t *request) {
    if (!request->active) return;
    request->active = false;
    occupancy_keep_no_more(&connection_in_flight(connection)->occupant, request);
    if (connection->active == 0 || connection->scheduler != request->scheduler) return; /* it was forgotten together with the others of its event loop */
    if (--connection->active == 0) connection->scheduler = connection->thread = Qnil;
}
