#include "connection_loop.h"

/* A plain thread is interrupted where Ruby checks for interrupts: in this file where it sleeps, and in methods in Ruby. The latter are called with
 * interrupts masked, and leave the trunk in a state in which the waiter may be interrupted. */
#include "connection_io.h"

#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "cancelling.h"
#include "../runtime/clock.h"
#include "connection_state.h"
#include "../runtime/deadline.h"
#include "../runtime/interrupts.h"
#include "leader_election.h"
#include "silence.h"
#include "../../socket/bytes_class.h"
#include "../../common/classes.h"

/* Bytes of output from which on a caller flushes at once, without waiting for more. With 4 or 64 KiB, 1000 futures of 200 bytes take the same
 * processor time: 10.8 to 12.4 ms, the least of three runs. */
#define WRITE_AT (16 * 1024)

/* Seconds for which a leader reads without a wait before it lets other fibers and threads run: while 60,000 rows of 20 timestamps came, which take
 * 0.4 s of processor time, another fiber ran 28 times without this, and 74 to 146 times with it. Each time costs some 3 us. */
#define TURN_AFTER 0.005

/* Seconds between two reads of small messages that a server sends one by one, in a thread. A server sends each notice by itself and wakes a reader
 * that waits: it takes 0.30 s of its processor for 100,000 notices, and 0.34 where the client waits for each. With 0.0003 they take 0.227 s in all
 * and 0.137 of the client's processor, with 0.0001 0.224 and 0.151, with 0.00005 0.224 and 0.168 (medians of 15; the pg gem 0.222 and 0.221). A
 * socket holds what comes in 0.0004. */
#define TRICKLE_PERIOD 0.0001

static ID id_alive, id_quarantine_altered, id_closed_by_server, id_after_receive, id_cancel_abandoned_ahead, id_after_leave, id_write_out, id_abandon, id_expire_request, id_yield, id_pass, id_park,
    id_unpark, id_sleep, id_probe_silence, id_passes_notices_early, id_pass_notices_early;
static VALUE mWaiting, sym_none, sym_led;

static bool pool_has_callers_waiting(const connection_t *connection) { return connection->callers_waiting && connection->callers_waiting->on; }

void connection_loop_wake_all(const connection_t *connection) {
    while (RARRAY_LEN(connection->woken) > 0) request_wake(rb_ary_shift(connection->woken));
}

/* Wakes the plain threads at the front, for which no interrupt can come between. Where calls are traced, the caller may be interrupted within one, or
 * another thread may run: then that request may be woken twice, and none is left out. */
static void wake_threads(const connection_t *connection) {
    while (RARRAY_LEN(connection->woken) > 0 && request_wakes_at_once(RARRAY_AREF(connection->woken, 0))) {
        VALUE first = RARRAY_AREF(connection->woken, 0);
        request_wake(first);
        if (RARRAY_LEN(connection->woken) > 0 && RARRAY_AREF(connection->woken, 0) == first) rb_ary_shift(connection->woken);
    }
}

static void wake(const connection_io_t *io) { io->interruptible ? wake_threads(io->connection) : connection_loop_wake_all(io->connection); }

static bool has_fence(const connection_io_t *io) { return !NIL_P(io->connection->cancelling.fence); }

/* Whether the server works on an abandoned request, and no caller is cancelling. */
static bool has_abandoned_head(const connection_t *connection) { return connection_has_abandoned_head(connection) && NIL_P(connection->cancelling.canceller); }

/* Wakes the callers whose answers are complete; has an abandoned head cancelled where others wait behind it; reopens the connection if its fence was
 * answered; then wakes callers that wait for a connection. */
static void after_receive(const connection_io_t *io) {
    connection_t *connection = io->connection;
    wake(io);
    cancelling_lift(connection);
    bool more = RARRAY_LEN(connection->woken) > 0 || has_abandoned_head(connection) || (pool_has_callers_waiting(connection) && connection_has_room(connection));
    if (more) connection_io_call(io, id_after_receive, 0, Qnil);
}

static VALUE receive_in_codec(VALUE data) {
    const connection_t *connection = ((const connection_io_t *)data)->connection;
    return connection_codec(connection)->protocol->receive(connection->codec, connection->woken);
}

static bool is_of_codec(VALUE error) { return connection_io_is_error(error, rb_eStandardError); }

static VALUE rethrow(VALUE tag) { rb_jump_tag((int)tag); }

static VALUE after_receive_at_last(VALUE data) {
    after_receive((const connection_io_t *)data);
    return Qnil;
}

static VALUE decode_input_masked(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, data));

/* After an error within the codec the rest of the input cannot be trusted, so the trunk is lost. Where Ruby decodes a row, interrupts of this thread
 * are masked: one would count as an error of that row, which another caller may wait for, or leave a message half decoded. */
bool connection_loop_decode_input(const connection_io_t *io, bool interruptible) {
    int tag;
    connection_codec(io->connection)->interruptible = interruptible;
    VALUE sound = rb_protect(receive_in_codec, (VALUE)io, &tag);
    if (!tag && connection_codec(io->connection)->paused) return RTEST(interrupts_on_blocking(decode_input_masked, (VALUE)io));
    if (tag && !connection_io_was_lost(io, is_of_codec)) rb_ensure(rethrow, (VALUE)tag, after_receive_at_last, (VALUE)io);
    if (!tag && sound == Qfalse) connection_io_call(io, id_quarantine_altered, 0, Qnil);
    bool any = tag || RARRAY_LEN(io->connection->woken) > 0;
    after_receive(io);
    return any;
}

static VALUE decode_input_masked(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, data)) { return RBOOL(connection_loop_decode_input((const connection_io_t *)data, false)); }

static VALUE yield_to_others(VALUE data) {
    VALUE scheduler = ((const connection_io_t *)data)->request->scheduler;
    return NIL_P(scheduler) ? Qundef : rb_check_funcall(scheduler, id_yield, 0, NULL);
}

/* While an answer comes as fast as it is read, there is no wait in which others could run. Uses the time at which the last bytes were read. */
static bool should_yield(connection_t *connection) {
    double now = clock_latest();
    if (connection->busy_since == 0) connection->busy_since = now;
    return now - connection->busy_since >= TURN_AFTER;
}

/* By Kernel.sleep in Ruby, so that a test can observe it. */
static void pause_reading(double pause) {
    VALUE seconds = DBL2NUM(pause);
    rb_funcallv_public(rb_mKernel, id_sleep, 1, &seconds);
}

/* Whether notices are passed to the caller before its answer is complete: it may be interrupted here, and the server works on its own request. */
static bool passes_notices_early(const connection_io_t *io) {
    if (!io->interruptible || fifo_head(&connection_in_flight(io->connection)->fifo) != io->object) return false;
    return RTEST(rb_funcallv_public(io->connection->codec, id_passes_notices_early, 1, &io->object));
}

/* Passes on the notices that the caller's block has not got, for as long as one turn. Resigns first: the block may use the same client over this
 * connection, so another caller must be able to lead. False: there was none, or they wait for the end of the answer. */
static bool pass_notices_early(const connection_io_t *io) {
    if (!passes_notices_early(io)) return false;
    connection_t *connection = io->connection;
    succession_t succession = connection_resign(connection, io->object);
    if (succession == SUCCESSION_NEXT) connection_io_call(io, id_after_leave, 1, connection->next_leader);
    rb_funcallv_public(connection->codec, id_pass_notices_early, 1, &io->object);
    return true;
}

/* Before a thread sleeps as the leader: the server may send nothing more until its block has got what has arrived. */
static bool pass_notices_before_sleep(const connection_io_t *io) {
    return NIL_P(io->request->scheduler) && connection_codec(io->connection)->floods && pass_notices_early(io);
}

/* Passes notices on and pauses before the next read of small messages. False: there was no pause. */
static bool await_more(const connection_io_t *io) {
    double next = clock_latest() + TRICKLE_PERIOD;
    pass_notices_early(io);
    double pause = next - clock_now();
    if (pause > 0) pause_reading(pause);
    return pause > 0;
}

/* A fiber that is stopped meanwhile resigns, which clears the flag. */
static void yield_as_leader(const connection_io_t *io) {
    io->connection->leader_yielding = true;
    yield_to_others((VALUE)io);
    if (connection_leads(io->connection, io->object)) io->connection->leader_yielding = false;
}

/* A fiber yields to the callers whose answers have come; a thread, which wakes them as it continues, only after TURN_AFTER. */
static void let_others_run(const connection_io_t *io, bool woke) {
    connection_t *connection = io->connection;
    bool in_thread = NIL_P(io->request->scheduler), due = should_yield(connection);
    if (io->request->done) return;
    bool waited = in_thread && connection_codec(connection)->trickles && await_more(io);
    due = due || should_yield(connection);
    if (!(waited || due || (woke && !in_thread))) return;
    connection->busy_since = 0;
    if (waited) return;
    if (in_thread) rb_funcallv_public(rb_cThread, id_pass, 0, NULL);
    else yield_as_leader(io);
}

/* The abandoned head has taken longer than expected; or a cancel request arrived before its statement had begun, and the server ignored it. */
static void cancel_again(const connection_io_t *io) {
    connection_t *connection = io->connection;
    if (isinf(connection->cancelling.recheck_at) || clock_now() < connection->cancelling.recheck_at) return;
    connection->cancelling.recheck_at = INFINITY;
    connection_io_call(io, id_cancel_abandoned_ahead, 0, Qnil);
}

/* False: the trunk or the lead is lost. A fiber that was dropped with its event loop while it slept has lost the lead: when it runs again, another
 * caller may have read its answer, and a further wait for the socket might never end. */
static bool sleep_as_leader(const connection_io_t *io) { return connection_io_sleep(io) && connection_leads(io->connection, io->object); }

/* Waits for input; or, where the server has owed an answer for too long, probes whether it is there. False: as sleep_as_leader. */
static bool wait_for_server(const connection_io_t *io) {
    if (!silence_is_due(io->connection)) return sleep_as_leader(io);
    io->connection->no_answer_yet = false;
    connection_io_call(io, id_probe_silence, 0, Qnil);
    return !io->connection->lost && connection_leads(io->connection, io->object);
}

/* Sleeps before it reads where the only request in flight was written just now: no answer can be there, and meanwhile others may send their requests
 * together. Wakes callers whose time is over before it cancels, which may take a quarter of a second: a cancel request needs a connection. */
void connection_loop_step(const connection_io_t *io) {
    connection_t *connection = io->connection;
    if (!connection->no_answer_yet) connection_io_flush(io);
    else if (!sleep_as_leader(io)) return;
    switch (connection_io_receive(io)) {
    case SOCKET_MOVED:
        let_others_run(io, connection_loop_decode_input(io, io->interruptible));
        if (!connection_leads(connection, io->object)) return;
        break;
    case SOCKET_CLOSED: connection_io_call(io, id_closed_by_server, 0, Qnil); break;
    case SOCKET_BLOCKED:
        if (pass_notices_before_sleep(io) || !wait_for_server(io)) return;
        break;
    case SOCKET_FAILED: return;
    }
    connection_end_sleep(connection, connection->woken);
    if (RARRAY_LEN(connection->woken) > 0) after_receive(io);
    cancel_again(io);
}

/* True: the answer is there. False: its waiter's time is over, or it was woken to lead. */
static bool park(const connection_io_t *io) {
    request_t *request = io->request;
    double until = connection_sleeps_until(io->connection, request);
    if (NIL_P(request->scheduler) || !isinf(until)) {
        VALUE arguments[] = {io->object, deadline_value(until)};
        return RTEST(rb_funcallv_public(mWaiting, id_park, 2, arguments));
    }
    do rb_fiber_scheduler_block(request->scheduler, io->object, Qnil);
    while (request_sleeps_on(request));
    request->state = WAITER_RUNNING;
    return request->done;
}

/* Leads until the answer is there, its time is over, or the lead is lost. True: the answer is there. */
static bool lead(const connection_io_t *io) {
    do connection_loop_step(io);
    while (!io->request->done && !request_wait_is_over(io->request) && connection_leads(io->connection, io->object));
    return io->request->done;
}

/* True: the answer is there. False: its waiter's time is over. */
static bool await_answer(const connection_io_t *io) {
    election_t election;
    while ((election = connection_elect(io->connection, io->object)) != ELECTION_ANSWERED) {
        if (election == ELECTION_LEADS ? lead(io) : park(io)) return true;
        if (request_wait_is_over(io->request)) return false;
    }
    return true;
}

static VALUE flush_after_yield(VALUE data) {
    const connection_io_t *io = (const connection_io_t *)data;
    io->connection->flusher_yielding = false;
    connection_io_flush(io);
    return Qnil;
}

static void yield_then_flush(const connection_io_t *io) {
    io->connection->flusher_yielding = true;
    rb_ensure(yield_to_others, (VALUE)io, flush_after_yield, (VALUE)io);
}

/* Checks an idle connection that has unexpected input, perhaps its end. Only a leader may read, or a sleeping leader would miss what came: so the
 * caller leads meanwhile. If there is a leader, that one reads what comes. Threads may submit requests during the check: they are written after it,
 * as what is written to a connection that has ended may have been executed. */
static bool is_alive(const connection_io_t *io) {
    connection_t *connection = io->connection;
    if (connection_is_led(connection) || connection_io_has_no_input(connection)) return true;
    connection->leader = io->object;
    connection->checking_alive = true;
    bool alive = RTEST(connection_io_call(io, id_alive, 0, Qnil));
    succession_t succession = connection_resign(connection, io->object);
    if (succession == SUCCESSION_NEXT) connection_io_call(io, id_after_leave, 1, connection->next_leader);
    return alive;
}

/* The same for a connection with nothing in flight but a liveness check. The answer to that may show that the connection is too old. */
static bool may_submit(const connection_io_t *io) {
    const in_flight_t *in_flight = connection_in_flight(io->connection);
    bool check_in_flight = in_flight->load.check_in_flight;
    if (in_flight->fifo.count > 0 && !check_in_flight) return true;
    return is_alive(io) && !(check_in_flight && connection_is_old(io->connection, clock_latest()));
}

/* False: the connection did not take the request. It may take no new ones since the caller entered, or since that check. */
bool connection_loop_submit(const connection_io_t *io) {
    connection_t *connection = io->connection;
    if (!may_submit(io)) return false;
    if (connection->shut) return false;
    bool first = connection_in_flight(connection)->fifo.count == 0;
    if (NIL_P(connection_codec(connection)->protocol->submit(connection->codec, io->object))) return false;
    if (connection->checking_alive) return true;
    bool large = codec_base_unsent(connection_codec(connection)) > WRITE_AT, in_thread = NIL_P(io->request->scheduler);
    if (connection->leader_asleep && !large && !in_thread) {
        if (!connection->flusher_yielding) yield_then_flush(io);
    } else if (first || !connection_is_led(connection) || large || in_thread) {
        connection_io_flush(io);
        connection->no_answer_yet = first;
    }
    if (connection->leader_asleep && !connection->flusher_yielding && !connection_io_is_flushed(connection)) connection_io_call(io, id_write_out, 1, io->object);
    return true;
}

static bool has_cleanup_to_do(const connection_io_t *io) {
    const connection_t *connection = io->connection;
    return !connection_io_is_flushed(connection) || has_fence(io) || connection->lost || connection->cancelling.sealed ||
           connection_has_abandoned_head(connection);
}

/* All waiters leave through here: the next leader is elected, and nothing is left unwritten. */
void connection_loop_leave(const connection_io_t *io) {
    connection_t *connection = io->connection;
    succession_t succession = connection_leave(connection, io->object);
    VALUE next_leader = connection->next_leader;
    if (succession == SUCCESSION_NEXT && (!io->interruptible || request_wakes_at_once(next_leader))) {
        rb_ary_push(connection->woken, next_leader);
        wake(io);
        succession = SUCCESSION_LED;
    }
    bool more = succession == SUCCESSION_NEXT || (succession == SUCCESSION_NONE && has_cleanup_to_do(io)) || (connection->active == 0 && pool_has_callers_waiting(connection));
    if (more) connection_io_call(io, id_after_leave, 1, succession == SUCCESSION_NEXT ? next_leader : succession == SUCCESSION_NONE ? sym_none : sym_led);
}

static VALUE send_and_wait(VALUE data) {
    connection_io_t *io = (connection_io_t *)data;
    io->submitted = connection_loop_submit(io);
    io->answered = io->submitted && await_answer(io);
    io->completed = true;
    return Qnil;
}

static VALUE cleanup(VALUE data) {
    const connection_io_t *io = (const connection_io_t *)data;
    if (!io->completed) connection_io_call(io, id_abandon, 1, io->object);
    else if (io->submitted && !io->answered && request_deadline_passed(io->request)) connection_io_call(io, id_expire_request, 1, io->object);
    else connection_loop_leave(io);
    return Qnil;
}

static VALUE run(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, data)) {
    connection_io_t *io = (connection_io_t *)data;
    if (!connection_enter(io->connection, io->object)) return Qfalse;
    rb_ensure(send_and_wait, (VALUE)io, cleanup, (VALUE)io);
    return RBOOL(io->submitted);
}

/* Where a wire in Ruby reads, interrupts are masked: one could come between reading bytes and decoding them. */
bool connection_loop_perform(connection_io_t *io) {
    if (!NIL_P(io->request->scheduler)) return RTEST(run(Qnil, (VALUE)io, 0, NULL, Qnil));
    if (!connection_is_native(io->connection)) return RTEST(interrupts_on_blocking(run, (VALUE)io));
    io->interruptible = true;
    return RTEST(run(Qnil, (VALUE)io, 0, NULL, Qnil));
}

static VALUE await_answer_alone(VALUE data) {
    connection_io_t *io = (connection_io_t *)data;
    io->answered = await_answer(io);
    io->completed = true;
    return Qnil;
}

static VALUE unpark(VALUE data) {
    const connection_io_t *io = (const connection_io_t *)data;
    if (!io->completed) rb_funcallv_public(mWaiting, id_unpark, 1, &io->object);
    return Qnil;
}

bool connection_loop_await_answer(connection_io_t *io) {
    rb_ensure(await_answer_alone, (VALUE)io, unpark, (VALUE)io);
    return io->answered;
}

static void intern(void) {
    id_alive = rb_intern("alive?");
    id_quarantine_altered = rb_intern("quarantine_altered");
    id_closed_by_server = rb_intern("closed_by_server");
    id_after_receive = rb_intern("after_receive");
    id_cancel_abandoned_ahead = rb_intern("cancel_abandoned_ahead");
    id_after_leave = rb_intern("after_leave");
    id_write_out = rb_intern("write_out");
    id_abandon = rb_intern("abandon");
    id_expire_request = rb_intern("expire_request");
    id_yield = rb_intern("yield");
    id_pass = rb_intern("pass");
    id_park = rb_intern("park");
    id_unpark = rb_intern("unpark");
    id_sleep = rb_intern("sleep");
    id_probe_silence = rb_intern("probe_silence");
    id_passes_notices_early = rb_intern("passes_notices_early?");
    id_pass_notices_early = rb_intern("pass_notices_early");
    sym_none = ID2SYM(rb_intern("none"));
    sym_led = ID2SYM(rb_intern("led"));
}

void Init_trunkline_connection_loop(void) {
    intern();
    mWaiting = rb_define_module_under(mTrunkline, "Waiting");
    rb_gc_register_mark_object(mWaiting);
}
