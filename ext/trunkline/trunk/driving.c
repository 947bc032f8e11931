/* Trunkline::Driving: a caller's way over a trunk, from entering to leaving. Of the callers that wait, one leads: flushes,
 * reads, wakes; see Trunk for the rules. What happens rarely, Ruby does: it is asked to through the trunk's own methods.
 *
 * A plain thread is interrupted where Ruby looks for interrupts: in this file, that is where it sleeps, and in what Ruby is
 * asked to do. The latter is done undisturbed, and ends with the trunk in a state that the waiter may be torn from. */
#include "drive.h"

#include <math.h>
#include <ruby/fiber/scheduler.h>
#include "clock.h"
#include "interrupts.h"
#include "../socket/bytes_class.h"
#include "../trunkline.h"

#define WRITE_AT (16 * 1024) /* bytes of output that are written without waiting for more */

static ID id_alive, id_mistrust, id_hung_up, id_pass_on, id_pass_given_up, id_depart, id_write_out, id_abandon, id_run_out, id_yield, id_park, id_unpark,
    id_crowded, id_loss, id_retiring;
static VALUE mWaiting;

static bool is_crowded(const crew_t *crew) { return RTEST(rb_funcallv(crew->pool, id_crowded, 0, NULL)); }

static void wake_all(const crew_t *crew) {
    while (RARRAY_LEN(crew->woken) > 0) request_wake(rb_ary_shift(crew->woken));
}

/* The plain threads among them, which no interrupt comes between. Where calls are traced, the caller may be interrupted in the middle
 * of one, or another thread be here meanwhile: then that request is told twice, and none is left out. */
static void wake_threads(const crew_t *crew) {
    while (RARRAY_LEN(crew->woken) > 0 && request_wakes_at_once(RARRAY_AREF(crew->woken, 0))) {
        VALUE first = RARRAY_AREF(crew->woken, 0);
        request_wake(first);
        if (RARRAY_LEN(crew->woken) > 0 && RARRAY_AREF(crew->woken, 0) == first) rb_ary_shift(crew->woken);
    }
}

static void wake(const drive_t *drive) { drive->exposed ? wake_threads(drive->crew) : wake_all(drive->crew); }

static bool has_fence(const drive_t *drive) { return !NIL_P(drive->crew->cancelling.fence); }

/* Does the server work on what no caller waits for, and no caller has asked it to end that yet? */
static bool has_given_up_head(const crew_t *crew) { return crew_has_given_up_head(crew) && !crew->shut; }

/* Wakes those whose answers are complete; has abandoned requests ended where others wait behind them; opens the trunk, if its fence was
 * answered; then wakes those that wait for room. */
static void pass_on(const drive_t *drive) {
    crew_t *crew = drive->crew;
    wake(drive);
    cancelling_lift(crew);
    bool more = RARRAY_LEN(crew->woken) > 0 || has_given_up_head(crew) || (is_crowded(crew) && crew_has_room(crew));
    if (more) drive_ask(drive, id_pass_on, 0, Qnil);
}

static VALUE receive_in_codec(VALUE data) {
    const crew_t *crew = ((const drive_t *)data)->crew;
    return crew_codec(crew)->protocol->receive(crew->codec, crew->woken);
}

static bool is_of_codec(VALUE error) { return drive_is_error(error, rb_eStandardError); }

static VALUE go_on(VALUE tag) { rb_jump_tag((int)tag); }

static VALUE pass_on_at_last(VALUE data) {
    pass_on((const drive_t *)data);
    return Qnil;
}

/* Takes in what was read, and wakes those whose answers are complete. Whatever goes wrong within the codec, the bytes behind
 * it cannot be trusted any more. True: a waiter was woken. */
static bool take_in(const drive_t *drive) {
    int tag;
    VALUE sound = rb_protect(receive_in_codec, (VALUE)drive, &tag);
    if (tag && !drive_was_lost(drive, is_of_codec)) rb_ensure(go_on, (VALUE)tag, pass_on_at_last, (VALUE)drive);
    if (!tag && sound == Qfalse) drive_ask(drive, id_mistrust, 0, Qnil);
    bool any = tag || RARRAY_LEN(drive->crew->woken) > 0;
    pass_on(drive);
    return any;
}

static VALUE give_turn(VALUE data) {
    VALUE world = ((const drive_t *)data)->request->world;
    return NIL_P(world) ? Qundef : rb_check_funcall(world, id_yield, 0, NULL);
}

/* A cancel that came before its statement had been begun was ignored by the server. */
static void cancel_again(const drive_t *drive) {
    crew_t *crew = drive->crew;
    if (isinf(crew->cancelling.again) || clock_now() < crew->cancelling.again) return;
    crew->cancelling.again = INFINITY;
    drive_ask(drive, id_pass_given_up, 0, Qnil);
}

/* What a leader does over and over: flush, read, wake those that have their answers, or whose deadlines have passed; sleep when there is
 * nothing to read. Also before the first look when the only request in flight was written just now: there can be no answer yet,
 * and meanwhile others may send theirs along. */
static void step(const drive_t *drive) {
    crew_t *crew = drive->crew;
    if (!crew->answerless) drive_flush(drive);
    else if (!drive_sleep(drive)) return;
    switch (drive_receive(drive)) {
    case SOCKET_MOVED:
        if (take_in(drive) && !drive->request->done) give_turn((VALUE)drive);
        break;
    case SOCKET_CLOSED: drive_ask(drive, id_hung_up, 0, Qnil); break;
    case SOCKET_BLOCKED:
        if (!drive_sleep(drive)) return;
        break;
    case SOCKET_FAILED: return;
    }
    crew_rise(drive->crew_object, crew->woken);
    cancel_again(drive);
    if (RARRAY_LEN(crew->woken) > 0) pass_on(drive);
}

/* True: the answer is there. False: its waiter's time is over, or it was woken to lead. */
static bool park(const drive_t *drive, VALUE until) {
    request_t *request = drive->request;
    if (NIL_P(request->world) || RTEST(until)) {
        VALUE arguments[] = {drive->object, RTEST(until) ? until : Qnil};
        return RTEST(rb_funcallv(mWaiting, id_park, 2, arguments));
    }
    do rb_fiber_scheduler_block(request->world, drive->object, Qnil);
    while (request->state == WAITER_PARKED);
    request->state = WAITER_RUNNING;
    return request->done;
}

/* Leads until the answer is there, or its time is over. True: it is there. */
static bool lead(const drive_t *drive) {
    do step(drive);
    while (!drive->request->done && !request_is_late(drive->request));
    return drive->request->done;
}

/* True: the answer is there. False: its time is over. */
static bool attend(const drive_t *drive) {
    VALUE leads;
    while (!NIL_P(leads = crew_lead(drive->crew_object, drive->object))) {
        if (leads == Qtrue ? lead(drive) : park(drive, leads)) return true;
        if (request_is_late(drive->request)) return false;
    }
    return true;
}

static VALUE turned(VALUE data) {
    const drive_t *drive = (const drive_t *)data;
    drive->crew->turning = false;
    drive_flush(drive);
    return Qnil;
}

static void flush_after_a_turn(const drive_t *drive) {
    drive->crew->turning = true;
    rb_ensure(give_turn, (VALUE)drive, turned, (VALUE)drive);
}

/* A look at an idle connection on which something has come unasked, perhaps its end. Only a leader reads, or another that sleeps would
 * not hear of what came: the caller leads meanwhile. Where there is a leader, it sees what comes. */
static bool is_alive(const drive_t *drive) {
    crew_t *crew = drive->crew;
    if (crew_is_led(crew) || drive_is_quiet(crew)) return true;
    crew->leader = drive->object;
    bool alive = RTEST(drive_ask(drive, id_alive, 0, Qnil));
    VALUE heir = crew_resign(crew, drive->object);
    if (RTEST(heir)) drive_ask(drive, id_depart, 1, heir);
    return alive;
}

/* False: the trunk could not take the request. It may have been shut since the caller entered, or by that look. */
static bool submit(const drive_t *drive) {
    crew_t *crew = drive->crew;
    if (crew_in_flight(crew)->count == 0 && !is_alive(drive)) return false;
    if (crew->shut) return false;
    bool first = crew_in_flight(crew)->count == 0;
    if (NIL_P(crew_codec(crew)->protocol->submit(crew->codec, drive->object))) return false;
    bool large = codec_base_unsent(crew_codec(crew)) > WRITE_AT, in_thread = NIL_P(drive->request->world);
    if (crew->asleep && !large && !in_thread) {
        if (!crew->turning) flush_after_a_turn(drive);
    } else if (first || !crew_is_led(crew) || large || in_thread) {
        drive_flush(drive);
        crew->answerless = first;
    }
    if (crew->asleep && !crew->turning && !drive_is_flushed(crew)) drive_ask(drive, id_write_out, 1, drive->object);
    return true;
}

static bool has_ends_to_tie(const drive_t *drive) {
    return !drive_is_flushed(drive->crew) || has_fence(drive) || RTEST(rb_attr_get(drive->trunk, id_loss)) ||
           RTEST(rb_attr_get(drive->trunk, id_retiring)) || crew_has_given_up_head(drive->crew);
}

/* Every waiter leaves through here, for whatever reason: the lead finds an heir, and nothing is left unwritten. */
static void leave(const drive_t *drive) {
    const crew_t *crew = drive->crew;
    VALUE heir = crew_leave(drive->crew_object, drive->object);
    if (RTEST(heir) && (!drive->exposed || request_wakes_at_once(heir))) {
        rb_ary_push(crew->woken, heir);
        wake(drive);
        heir = Qnil;
    }
    bool more = RTEST(heir) || (heir == Qfalse && has_ends_to_tie(drive)) || (crew->aboard == 0 && is_crowded(crew));
    if (more) drive_ask(drive, id_depart, 1, heir);
}

static VALUE carry(VALUE data) {
    drive_t *drive = (drive_t *)data;
    drive->taken = submit(drive);
    drive->answered = drive->taken && attend(drive);
    drive->through = true;
    return Qnil;
}

static VALUE go_ashore(VALUE data) {
    const drive_t *drive = (const drive_t *)data;
    if (!drive->through) drive_ask(drive, id_abandon, 1, drive->object);
    else if (drive->taken && !drive->answered) drive_ask(drive, id_run_out, 1, drive->object);
    else leave(drive);
    return Qnil;
}

static VALUE travel(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, data)) {
    drive_t *drive = (drive_t *)data;
    VALUE place = crew_enter(drive->crew_object, drive->object);
    if (NIL_P(place)) return Qfalse;
    rb_ensure(carry, (VALUE)drive, go_ashore, (VALUE)drive);
    return RBOOL(drive->taken);
}

/* call-seq: perform(request) -> true or false
 *
 * Sends the request and waits for its answer. False: this trunk could not take it, and the request is as it was. A wire that is
 * not plain has bytes that are read and not taken in yet: there must be no interrupt between. */
static VALUE driving_perform(VALUE self, VALUE request) {
    drive_t drive = drive_of(self, request);
    if (!NIL_P(drive.request->world)) return travel(Qnil, (VALUE)&drive, 0, NULL, Qnil);
    if (!crew_is_plain(drive.crew)) return interrupts_where_it_sleeps(travel, (VALUE)&drive);
    drive.exposed = true;
    return travel(Qnil, (VALUE)&drive, 0, NULL, Qnil);
}

/* call-seq: submit(request) -> true or false
 *
 * For those below: their callers are undisturbed. */
static VALUE driving_submit(VALUE self, VALUE request) {
    drive_t drive = drive_of(self, request);
    return RBOOL(submit(&drive));
}

static VALUE attend_alone(VALUE data) {
    drive_t *drive = (drive_t *)data;
    drive->answered = attend(drive);
    drive->through = true;
    return Qnil;
}

static VALUE unpark(VALUE data) {
    const drive_t *drive = (const drive_t *)data;
    if (!drive->through) rb_funcallv(mWaiting, id_unpark, 1, &drive->object);
    return Qnil;
}

/* call-seq: attend(request) -> true or false
 *
 * Is the answer there? False: its time is over. */
static VALUE driving_attend(VALUE self, VALUE request) {
    drive_t drive = drive_of(self, request);
    rb_ensure(attend_alone, (VALUE)&drive, unpark, (VALUE)&drive);
    return RBOOL(drive.answered);
}

static VALUE driving_step(VALUE self, VALUE request) {
    drive_t drive = drive_of(self, request);
    step(&drive);
    return Qnil;
}

static VALUE driving_leave(VALUE self, VALUE request) {
    drive_t drive = drive_of(self, request);
    leave(&drive);
    return Qnil;
}

static VALUE driving_take_in(VALUE self) {
    drive_t drive = drive_of(self, Qnil);
    return RBOOL(take_in(&drive));
}

static VALUE driving_flush(VALUE self) {
    drive_t drive = drive_of(self, Qnil);
    drive_flush(&drive);
    return Qnil;
}

static VALUE driving_sleep_until_ready(VALUE self) {
    drive_t drive = drive_of(self, Qnil);
    drive_sleep(&drive);
    return Qnil;
}

static VALUE driving_wake_all(VALUE self) {
    wake_all(drive_of(self, Qnil).crew);
    return Qnil;
}

static void intern(void) {
    id_alive = rb_intern("alive?");
    id_mistrust = rb_intern("mistrust");
    id_hung_up = rb_intern("hung_up");
    id_pass_on = rb_intern("pass_on");
    id_pass_given_up = rb_intern("pass_given_up");
    id_depart = rb_intern("depart");
    id_write_out = rb_intern("write_out");
    id_abandon = rb_intern("abandon");
    id_run_out = rb_intern("run_out");
    id_yield = rb_intern("yield");
    id_park = rb_intern("park");
    id_unpark = rb_intern("unpark");
    id_crowded = rb_intern("crowded?");
    id_loss = rb_intern("@loss");
    id_retiring = rb_intern("@retiring");
}

void Init_trunkline_driving(void) {
    intern();
    mWaiting = rb_define_module_under(mTrunkline, "Waiting");
    rb_gc_register_mark_object(mWaiting);
    VALUE module = rb_define_module_under(mTrunkline, "Driving");
    rb_define_method(module, "perform", driving_perform, 1);
    rb_define_private_method(module, "submit", driving_submit, 1);
    rb_define_private_method(module, "attend", driving_attend, 1);
    rb_define_private_method(module, "step", driving_step, 1);
    rb_define_private_method(module, "leave", driving_leave, 1);
    rb_define_private_method(module, "take_in", driving_take_in, 0);
    rb_define_private_method(module, "flush", driving_flush, 0);
    rb_define_private_method(module, "sleep_until_ready", driving_sleep_until_ready, 0);
    rb_define_private_method(module, "wake_all", driving_wake_all, 0);
}
