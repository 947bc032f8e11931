#include "connection_io.h"

#include <errno.h>
#include <math.h>
#include <ruby/io.h>
#include "../runtime/clock.h"
#include "../runtime/deadline.h"
#include "../runtime/interrupts.h"
#include "leader_election.h"
#include "../../socket/bytes_class.h"
#include "../../socket/tls_session.h"
#include "../../common/classes.h"

/* Seconds that a wait with a timeout lasts at most, a bound: some schedulers keep its timer until it fires, so as many are kept as waits begin in that time.
 * With a timer of a second for each read 512 callers that sleep on the server took 40 us each under Async, and 31 without timers. */
#define LONGEST_WAIT 1.0

static VALUE sym_received, sym_closed;
static ID id_lose, id_lose_over, id_write_failed, id_receive, id_flush, id_wait, id_is_flushed;
static VALUE eConnectionError;

connection_io_t connection_io_for(VALUE trunk, VALUE connection_object, VALUE request) {
    connection_io_t io = {.trunk = trunk, .object = request, .connection_object = connection_object};
    io.connection = connection_checked(io.connection_object);
    io.request = NIL_P(request) ? NULL : request_checked(request);
    return io;
}

typedef struct {
    VALUE trunk;
    ID method;
    int count;
    VALUE argument;
} call_t;

static VALUE make_call(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, data)) {
    const call_t *call = (const call_t *)data;
    return rb_funcallv_public(call->trunk, call->method, call->count, &call->argument);
}

VALUE connection_io_call(const connection_io_t *io, ID method, int count, VALUE argument) {
    call_t call = {io->trunk, method, count, argument};
    return io->interruptible ? interrupts_on_blocking(make_call, (VALUE)&call) : make_call(Qnil, (VALUE)&call, 0, NULL, Qnil);
}

bool connection_io_is_error(VALUE error, VALUE class) { return RB_TYPE_P(error, T_OBJECT) && RTEST(rb_obj_is_kind_of(error, class)); }

/* Whether it is an error of the socket or of its encryption. */
static bool is_of_wire(VALUE error) {
    return connection_io_is_error(error, rb_eSystemCallError) || connection_io_is_error(error, rb_eIOError) || connection_io_is_error(error, eConnectionError);
}

static bool was_reported(const connection_io_t *io, ID method, bool (*is_ours)(VALUE error)) {
    VALUE error = rb_errinfo();
    if (!is_ours(error)) return false;
    rb_set_errinfo(Qnil);
    connection_io_call(io, method, 1, error);
    return true;
}

bool connection_io_was_lost(const connection_io_t *io, bool (*is_ours)(VALUE error)) { return was_reported(io, id_lose_over, is_ours); }

bool connection_io_is_flushed(const connection_t *connection) {
    if (!connection_is_native(connection)) return RTEST(rb_funcallv_public(connection->wire, id_is_flushed, 0, NULL));
    return codec_base_unsent(connection_codec(connection)) == 0 && (NIL_P(connection->tls) || tls_session_is_flushed(connection->tls));
}

/* A forked child must not use its parent's connection. */
static bool is_inherited(const connection_io_t *io) {
    if (io->connection->generation == process_generation) return false;
    connection_io_call(io, id_lose, 1, rb_str_new_cstr("this connection belongs to the parent process"));
    return true;
}

/* Calls the trunk's method with the error of the failed system call or TLS session. */
static void report_failure(const connection_io_t *io, ID method, const char *call) {
    int number = errno;
    connection_io_call(io, method, 1, NIL_P(io->connection->tls) ? rb_syserr_new(number, call) : tls_session_error(io->connection->tls));
}

static VALUE call_flush(VALUE wire) { return rb_funcallv_public(wire, id_flush, 0, NULL); }
static VALUE call_receive(VALUE wire) { return rb_funcallv_public(wire, id_receive, 0, NULL); }

/* Calls the wire, where Ruby reads and writes, and returns its result. Qundef: it has failed, and the trunk's method `failed` was called with the
 * error. */
static VALUE through_wire(const connection_io_t *io, VALUE (*call)(VALUE wire), ID failed) {
    int tag;
    VALUE answer = rb_protect(call, io->connection->wire, &tag);
    if (!tag) return answer;
    if (!was_reported(io, failed, is_of_wire)) rb_jump_tag(tag);
    return Qundef;
}

void connection_io_flush(const connection_io_t *io) {
    const connection_t *connection = io->connection;
    if (connection->checking_alive) return;
    if (!connection_is_native(connection)) {
        through_wire(io, call_flush, id_write_failed);
    } else if (!connection_io_is_flushed(connection) && !is_inherited(io)) {
        VALUE output = connection_codec(connection)->output;
        socket_status_t status = NIL_P(connection->tls) ? bytes_send(output, connection->descriptor) : tls_session_send(connection->tls, output, connection->descriptor);
        if (status == SOCKET_FAILED) report_failure(io, id_write_failed, "send");
    }
}

socket_status_t connection_io_receive(const connection_io_t *io) {
    const connection_t *connection = io->connection;
    if (!connection_is_native(connection)) {
        VALUE received = through_wire(io, call_receive, id_lose_over);
        if (received == Qundef) return SOCKET_FAILED;
        return received == sym_received ? SOCKET_MOVED : received == sym_closed ? SOCKET_CLOSED : SOCKET_BLOCKED;
    }
    if (is_inherited(io)) return SOCKET_FAILED;
    VALUE input = connection_codec(connection)->input;
    socket_status_t status = NIL_P(connection->tls) ? bytes_receive(input, connection->descriptor) : tls_session_receive(connection->tls, input, connection->descriptor);
    if (status == SOCKET_FAILED) report_failure(io, id_lose_over, "recv");
    return status;
}

/* Nil: no waiter has a deadline, so the wait has no timeout. A timer for each read would cost more than the read. */
static VALUE sleep_timeout(const connection_t *connection) {
    return isinf(connection->leader_sleeps_until) ? Qnil : DBL2NUM(fmin(fmax(connection->leader_sleeps_until - clock_now(), 0), LONGEST_WAIT));
}

/* Whether the TLS session holds input that a wait for the socket would not see. */
static bool has_buffered_input(const connection_t *connection) { return !NIL_P(connection->tls) && tls_session_has_buffered_input(connection->tls); }

static VALUE wait_for_bytes(VALUE data) {
    const connection_io_t *io = (const connection_io_t *)data;
    const connection_t *connection = io->connection;
    connection_begin_sleep(io->connection);
    if (has_buffered_input(connection)) return Qnil;
    if (connection_is_native(connection) && connection_io_is_flushed(connection)) return rb_io_wait(connection->io, INT2FIX(RUBY_IO_READABLE), sleep_timeout(connection));
    VALUE until = deadline_value(connection->leader_sleeps_until);
    return rb_funcallv_public(connection->wire, id_wait, 1, &until);
}

bool connection_io_sleep(const connection_io_t *io) {
    int tag;
    VALUE leader = io->connection->leader;
    io->connection->leader_asleep = true;
    io->connection->no_answer_yet = false;
    io->connection->busy_since = 0;
    rb_protect(wait_for_bytes, (VALUE)io, &tag);
    stall_note_awake(&io->connection->stall, leader);
    if (io->connection->leader == leader) io->connection->leader_asleep = false; /* else another caller leads, and may sleep */
    if (!tag) return true;
    if (!connection_io_was_lost(io, is_of_wire)) rb_jump_tag(tag);
    return false;
}

bool connection_io_has_no_input(const connection_t *connection) {
    if (!connection_is_native(connection) || has_buffered_input(connection) || connection->descriptor < 0 || connection->generation != process_generation) return false;
    return NIL_P(connection_codec(connection)->closing_error) && !socket_has_bytes(connection->descriptor);
}

void Init_trunkline_connection_io(void) {
    sym_received = bytes_received(SOCKET_MOVED);
    sym_closed = bytes_received(SOCKET_CLOSED);
    id_lose = rb_intern("lose");
    id_lose_over = rb_intern("lose_over");
    id_write_failed = rb_intern("write_failed");
    id_receive = rb_intern("receive");
    id_flush = rb_intern("flush");
    id_wait = rb_intern("wait");
    id_is_flushed = rb_intern("flushed?");
    eConnectionError = rb_const_get(mTrunkline, rb_intern("ConnectionError"));
    rb_gc_register_mark_object(eConnectionError);
}
