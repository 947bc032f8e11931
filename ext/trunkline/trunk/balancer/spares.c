#include "spares.h"

/* As neither of these methods runs Ruby, no other thread runs meanwhile: where no thread has the pool's lock, each is one step as if it had it. With the
 * lock, and the blocks that it takes, a transaction takes and returns its connection in 25,000 instructions, and without in 3,000. */
#include "../runtime/clock.h"
#include "../connection/connection_io.h"
#include "../connection/connection_loop_class.h"
#include "../runtime/flag.h"
#include "../../common/classes.h"
#include "dispatcher.h"

static bool is_usable(const dispatcher_t *dispatcher, const connection_t *connection, double now) {
    return connection && connection->generation == process_generation && !dispatcher_finds_expired(dispatcher, connection, now);
}

/* Whether a connection is to be closed first, because of its age or because it was idle; or may have answers that no caller reads. */
static bool has_outdated(const dispatcher_t *dispatcher, VALUE spares, double now) {
    if (dispatcher_has_superfluous(dispatcher, now)) return true;
    for (long at = 0; at < dispatcher->count; at++) {
        const connection_t *connection = connection_at(dispatcher, at);
        if (dispatcher_finds_expired(dispatcher, connection, now)) return true;
        if (connection_in_flight(connection)->fifo.count > 0 && connection_is_deserted(connection)) return true;
    }
    bool beyond = (size_t)(dispatcher->count + RARRAY_LEN(spares)) > dispatcher->kept_open;
    for (long at = 0; at < RARRAY_LEN(spares); at++) {
        const connection_t *connection = connection_loop_connection(RARRAY_AREF(spares, at));
        if (!is_usable(dispatcher, connection, now)) return true;
        if (beyond && now - connection_in_flight(connection)->load.unused_since > dispatcher->max_idle) return true;
    }
    return false;
}

static bool is_locked(VALUE lock, VALUE only_locked) { return RTEST(rb_mutex_locked_p(lock)) || flag_checked(only_locked)->on; }

/* Whether nothing is in flight, and the server has sent nothing. */
static bool is_ready(const connection_t *connection) {
    return connection_in_flight(connection)->fifo.count == 0 && !connection->lost && connection_io_has_no_input(connection);
}

/* call-seq: take_ready_spare(mutex, only_locked, spares, pinned, request, user) -> trunk or nil
 *
 * Moves the last spare trunk to the pinned ones, with its user, for the request. mutex: the pool's lock. only_locked: a Flag that is on while the trunks
 * may be moved with the lock held only. Nil: there is none, or it has to be read first; or another one has to be closed or read first; or the lock is
 * needed; or the request's deadline has passed. */
static VALUE dispatcher_take_ready_spare(VALUE self, VALUE mutex, VALUE only_locked, VALUE spares, VALUE pinned, VALUE request, VALUE user) {
    Check_Type(spares, T_ARRAY);
    Check_Type(pinned, T_ARRAY);
    if (RARRAY_LEN(spares) == 0 || is_locked(mutex, only_locked)) return Qnil;
    double now = clock_now();
    if (request_checked(request)->deadline <= now || has_outdated(dispatcher_of(self), spares, now)) return Qnil;
    VALUE trunk = RARRAY_AREF(spares, RARRAY_LEN(spares) - 1);
    if (!is_ready(connection_loop_connection(trunk))) return Qnil;
    connection_loop_set_user(trunk, user);
    rb_ary_push(pinned, trunk);
    return rb_ary_pop(spares);
}

/* Whether it was determined that a spare connection may be shared, and another may be opened: one spare connection more does not change that. */
static bool has_hints(const dispatcher_t *dispatcher, VALUE growing) {
    return dispatcher->may_grow && (RTEST(growing) || (size_t)dispatcher->count >= dispatcher->kept_open);
}

/* call-seq: put_aside(mutex, only_locked, spares, pinned, trunk, growing) -> true or false
 *
 * Moves a pinned trunk to the spare ones. growing: whether fewer are shared than stay open, and another can be. False: it is no pinned one, or the lock is
 * needed, also because what may be opened and shared has to be determined anew. */
static VALUE dispatcher_put_aside(VALUE self, VALUE mutex, VALUE only_locked, VALUE spares, VALUE pinned, VALUE trunk, VALUE growing) {
    const dispatcher_t *dispatcher = dispatcher_of(self);
    Check_Type(spares, T_ARRAY);
    Check_Type(pinned, T_ARRAY);
    if (!has_hints(dispatcher, growing) || is_locked(mutex, only_locked)) return Qfalse;
    if (!is_usable(dispatcher, connection_loop_connection(trunk), clock_now())) return Qfalse;
    for (long at = 0; at < RARRAY_LEN(pinned); at++) {
        if (RARRAY_AREF(pinned, at) != trunk) continue;
        rb_ary_push(spares, trunk);
        rb_ary_delete_at(pinned, at);
        return Qtrue;
    }
    return Qfalse;
}

void Init_trunkline_spares(void) {
    VALUE class = rb_const_get(mTrunkline, rb_intern("Dispatcher"));
    rb_define_method(class, "take_ready_spare", dispatcher_take_ready_spare, 6);
    rb_define_method(class, "put_aside", dispatcher_put_aside, 6);
}
