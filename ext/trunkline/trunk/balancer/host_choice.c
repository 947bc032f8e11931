#include "host_choice.h"

#include <math.h>
#include "../connection/backlog.h"
#include "../runtime/clock.h"
#include "dispatcher.h"
#include "../../common/classes.h"

#define FEW_HOSTS 6           /* a bound on the work of a choice: up to this number all hosts are considered; of more, RANDOM_HOSTS at random */
#define RANDOM_HOSTS 3        /* with 4 a choice among 32 hosts takes 0.51 us on a busy machine, where considering a host with four connections takes 70 ns */
/* Ratio of expected times up to which hosts count as equally fast, and difference in seconds, likewise: two standbys on one machine differ by 10 to 40
 * us. Beside a simulated host that waits for 1 ms, exponentially, one of 5 ms has 0.8 % of 8 callers' reads, and the p99 is 1.1 times the faster's
 * alone. With ratios of 1.05 and 1.2 that is 3.9 and 0.8 %, with half and double of the seconds 4.5 and 0.9 %; the p99 is 1.35 to 1.55 times then. */
#define SIMILAR_RATIO 1.1
#define SIMILAR_SECONDS 0.00005 /* see above */
/* Seconds below which service times are not distinguished. Of a statement that takes 30 us a busy client measures 300 where it sends one at a time, and
 * 0 where it reads many answers together: the standby with more requests looked faster, and of two equal ones one had 4 to 98 % of the reads. With half
 * and double the slower host above has 1.6 and 0.6 %; of hosts that wait for 1 and 1.3 ms the slower has 31 and 36 %, and 30 as it is. */
#define RESOLUTION 0.0005
/* Multiples of the mean deviation by which a mean may be wrong: two standard errors of a mean of means with weights of 1/8 and 1/16, which are 0.3
 * standard deviations, or 0.4 mean deviations of times that are exponential. With double the slower host above has 17 %, with half 0.9. */
#define CERTAINTY 0.4
/* Ratio up to which a faster host with a queue is preferred to a slower one that is expected to answer earlier, as the time of a host with a queue is
 * known to within a fifth. Without it, the slower of computing hosts of 1 and 5 ms had 5 % of the requests, and the p99 was 1.28 times that of the
 * faster. With 1.1 the slower host above has 1.1 %, with 1.4 10. */
#define PREFER_FASTER 1.2
/* Seconds after which another caller tries to open a host's first connection, a bound: where connecting takes longer, or never ends, one caller a second
 * is sent there, and all others go elsewhere. With TLS and SCRAM it takes six round trips, 0.6 s of 100 ms each. */
#define OPENING_SECONDS 1.0
/* A host that is not chosen is measured again from time to time, as it may have become faster, or was slow by chance when it was measured: after so
 * many seconds and so many requests to others. Of simulated hosts one that took 20 times as long has its part of the reads again after 1500 reads with
 * 50 requests, 2000 with 100, 3000 with 200 and 6000 with 400; a host that is five times slower, with exponential waits, has 1.5, 1.1, 0.9 and 0.7 % of
 * 8 callers' reads, and the p99 is 1.14, 0.89, 0.84 and 0.84 times that of the faster host alone. The seconds are a bound for a client with more than
 * 10,000 reads a second: with 0.005 and 0.08 these figures differ by chance only. */
#define REMEASURE_SECONDS 0.02
#define REMEASURE_REQUESTS 200 /* see above */

/* Seconds of a period. Callers count in the one in which the host was chosen and in the next: a fiber that is dropped by its event loop never leaves. What
 * takes longer is in flight on a connection by then, and counts there. It is a bound. */
#define PERIOD 30.0

typedef struct {
    VALUE dispatcher;
    bool usable;
    double opening;      /* until then a caller is opening its first connection */
    double chosen_at;
    unsigned long long chosen; /* how often */
    size_t callers[2];   /* that were sent there in this period and in the one before, and still wait */
} host_t;

typedef struct {
    long count;
    host_t *hosts;
    uint32_t random;
    long opened_for;     /* choices for which no host without a connection is searched for: the last search found none */
    unsigned since_remeasured; /* requests since a host was last chosen to be measured again */
    double remeasured_at;
    unsigned long long period; /* number of the present one */
    double period_began;
} host_choice_t;

/* The search for the host with the least expected time until its answer. */
typedef struct {
    host_choice_t *choice;
    VALUE services; /* Array of ServiceTime, one for each host, or nil */
    VALUE passed;   /* Array of Integer: hosts that are left out, or nil */
    double now;
    double known;   /* the least mean service time of a host on which the statement was measured */
    double round_trip; /* the least measured round trip of a host */
} host_search_t;

static void host_choice_mark(void *data) {
    host_choice_t *choice = data;
    for (long at = 0; at < choice->count; at++) rb_gc_mark(choice->hosts[at].dispatcher);
}

static void host_choice_free(void *data) {
    ruby_xfree(((host_choice_t *)data)->hosts);
    ruby_xfree(data);
}

static size_t host_choice_memsize(const void *data) { return sizeof(host_choice_t) + (size_t)((const host_choice_t *)data)->count * sizeof(host_t); }

static const rb_data_type_t host_choice_type = {
    .wrap_struct_name = "Trunkline::HostChoice",
    .function = {.dmark = host_choice_mark, .dfree = host_choice_free, .dsize = host_choice_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static host_choice_t *host_choice_of(VALUE self) { return RTYPEDDATA_DATA(self); }

static VALUE host_choice_allocate(VALUE class) {
    host_choice_t *choice;
    VALUE self = TypedData_Make_Struct(class, host_choice_t, &host_choice_type, choice);
    choice->random = 1;
    return self;
}

static VALUE host_choice_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(host_choice_allocate(class), argc, argv); }

/* call-seq: HostChoice.new(dispatchers)
 *
 * Array of Dispatcher, one for each host. */
static VALUE host_choice_initialize(VALUE self, VALUE dispatchers) {
    host_choice_t *choice = host_choice_of(self);
    Check_Type(dispatchers, T_ARRAY);
    if (choice->hosts) rb_raise(rb_eArgError, "its hosts stay what they are");
    for (long at = 0; at < RARRAY_LEN(dispatchers); at++) dispatcher_checked(RARRAY_AREF(dispatchers, at));
    choice->hosts = ZALLOC_N(host_t, RARRAY_LEN(dispatchers));
    choice->count = RARRAY_LEN(dispatchers);
    for (long at = 0; at < choice->count; at++) choice->hosts[at] = (host_t){.dispatcher = RARRAY_AREF(dispatchers, at), .usable = true};
    return self;
}

static host_t *host_checked(VALUE self, VALUE at) {
    host_choice_t *choice = host_choice_of(self);
    long index = NUM2LONG(at);
    if (index < 0 || index >= choice->count) rb_raise(rb_eIndexError, "there are %ld hosts", choice->count);
    return &choice->hosts[index];
}

/* --- the times --- */

static bool may_take(const host_search_t *search, long at) {
    if (!search->choice->hosts[at].usable) return false;
    if (NIL_P(search->passed)) return true;
    for (long index = 0; index < RARRAY_LEN(search->passed); index++) {
        if (RARRAY_AREF(search->passed, index) == LONG2FIX(at)) return false;
    }
    return true;
}

/* Service times of the request's statement there; NULL: too few were measured. */
static const service_time_t *service_at(const host_search_t *search, long at) {
    if (NIL_P(search->services)) return NULL;
    const service_time_t *service = service_time_of(RARRAY_AREF(search->services, at));
    return service->times.count >= STEADY_FROM ? service : NULL;
}

static const dispatcher_t *dispatcher_at(const host_search_t *search, long at) { return dispatcher_of(search->choice->hosts[at].dispatcher); }

/* A host without measurements counts as no slower than the fastest measured one, so that it is measured soon. Where none was measured, any time does: with
 * 0.25 to 4 ms the simulated reads of 8 callers of hosts of 1 and 5 ms have the same shares and p99 but for chance. */
static double mean_at(const host_search_t *search, long at) {
    const service_time_t *service = service_at(search, at);
    return fmax(service ? service->steady : search->known < HUGE_VAL ? search->known : 0, RESOLUTION);
}

/* The round trip in seconds; HUGE_VAL: it was not measured. */
static double round_trip_to(const host_search_t *search, long at) {
    const dispatcher_t *dispatcher = dispatcher_at(search, at);
    double round_trip = HUGE_VAL;
    for (long index = 0; index < dispatcher->count; index++) {
        const in_flight_t *in_flight = connection_in_flight(connection_at(dispatcher, index));
        if (round_trip_is_known(&in_flight->round_trip) && in_flight->round_trip.seconds < round_trip) round_trip = in_flight->round_trip.seconds;
    }
    return round_trip;
}

/* What is expected of a host, in seconds. */
typedef struct {
    long at;      /* of the host */
    double round_trip; /* HUGE_VAL: it was not measured */
    double idle;  /* where nothing else is in flight there: the round trip and the request itself */
    double total; /* with the average backlog of a connection, and with callers that wait there */
    double error; /* uncertainty of the statement's mean service time */
    double share; /* requests there per connection */
    size_t load;  /* requests that are in flight there, or that callers are about to send */
} expectation_t;

static double error_at(const host_search_t *search, long at) {
    const service_time_t *service = service_at(search, at);
    return service ? service->deviation * CERTAINTY : 0;
}

/* The backlog of a connection in seconds. Of a head on which the server already works, only the remaining time counts; a head that exceeds its
 * estimate counts with that excess, unless its answer lies unread in the socket: then the server has finished it. */
static double backlog_at(connection_t *connection, double now) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    double cost = in_flight_head_cost(in_flight), beyond = in_flight_beyond_estimate(in_flight, now);
    if (beyond > SHORT_BACKLOG && !connection_has_answer(connection)) return in_flight->load.backlog + beyond;
    double rest = in_flight->load.backlog - fmin(fmax(cost + beyond, 0), cost);
    return fmax(rest, RESOLUTION * (double)in_flight->fifo.count);
}

static size_t callers_of(const host_t *host) { return host->callers[0] + host->callers[1]; }

static void expect(const host_search_t *search, expectation_t *expected) {
    const dispatcher_t *dispatcher = dispatcher_at(search, expected->at);
    double backlog = 0, mean = mean_at(search, expected->at);
    size_t in_flight_count = 0, callers = callers_of(&search->choice->hosts[expected->at]);
    for (long index = 0; index < dispatcher->count; index++) {
        connection_t *connection = connection_at(dispatcher, index);
        if (connection_in_flight(connection)->fifo.count == 0) continue;
        backlog += backlog_at(connection, search->now);
        in_flight_count += connection_in_flight(connection)->fifo.count;
    }
    expected->error = error_at(search, expected->at);
    expected->load = callers > in_flight_count ? callers : in_flight_count;
    expected->idle = (expected->round_trip < HUGE_VAL ? expected->round_trip : search->round_trip < HUGE_VAL ? search->round_trip : 0) + mean;
    expected->total = expected->idle + (backlog + (double)(expected->load - in_flight_count) * mean) / (double)dispatcher->count;
    expected->share = (double)expected->load / (double)dispatcher->count;
}

/* Reads a host's measurements, and updates the least ones, by which hosts without measurements are estimated. */
static expectation_t read_host(host_search_t *search, long at) {
    const service_time_t *service = service_at(search, at);
    double round_trip = round_trip_to(search, at);
    if (service) search->known = fmin(search->known, service->steady);
    search->round_trip = fmin(search->round_trip, round_trip);
    return (expectation_t){.at = at, .round_trip = round_trip};
}

/* --- the choice --- */

/* A host without a connection comes first, unless another caller is already opening one there. A search that finds none is not repeated for as many
 * choices as there are hosts: among 32 a choice then executes 2,629 instructions in place of 2,909 (callgrind). */
static long find_unopened(const host_search_t *search) {
    if (search->choice->opened_for-- > 0) return -1;
    search->choice->opened_for = 0;
    for (long at = 0; at < search->choice->count; at++) {
        host_t *host = &search->choice->hosts[at];
        if (dispatcher_at(search, at)->count > 0 || host->opening > search->now || !may_take(search, at)) continue;
        host->opening = search->now + OPENING_SECONDS;
        return at;
    }
    search->choice->opened_for = search->choice->count;
    return -1;
}

/* The host that was chosen longest ago, of all or of those with a connection. */
static long find_oldest(const host_search_t *search, bool open) {
    long oldest = -1;
    for (long at = 0; at < search->choice->count; at++) {
        if (!may_take(search, at) || (open && dispatcher_at(search, at)->count == 0)) continue;
        if (oldest < 0 || search->choice->hosts[at].chosen_at < search->choice->hosts[oldest].chosen_at) oldest = at;
    }
    return oldest;
}

static long find_neglected(const host_search_t *search) {
    host_choice_t *choice = search->choice;
    if (++choice->since_remeasured < REMEASURE_REQUESTS || search->now - choice->remeasured_at < REMEASURE_SECONDS) return -1;
    choice->since_remeasured = 0;
    choice->remeasured_at = search->now;
    long oldest = find_oldest(search, true);
    return oldest >= 0 && search->now - choice->hosts[oldest].chosen_at > REMEASURE_SECONDS ? oldest : -1;
}

static long random_host(host_choice_t *choice) {
    uint32_t random = choice->random; /* xorshift */
    random ^= random << 13;
    random ^= random >> 17;
    choice->random = random ^= random << 5;
    return (long)(random % (uint32_t)choice->count);
}

/* The hosts among which the fastest is chosen: all where there are few, else some at random. */
static long find_candidates(host_search_t *search, expectation_t candidates[FEW_HOSTS]) {
    bool few = search->choice->count <= FEW_HOSTS;
    long found = 0;
    for (long index = 0; index < (few ? search->choice->count : RANDOM_HOSTS); index++) {
        long at = few ? index : random_host(search->choice);
        if (dispatcher_at(search, at)->count == 0 || !may_take(search, at)) continue;
        candidates[found++] = read_host(search, at);
    }
    return found;
}

static bool is_within(double seconds, double of, double error) { return seconds <= of * SIMILAR_RATIO + SIMILAR_SECONDS + error; }

static bool is_as_fast(const expectation_t *one, const expectation_t *other) {
    double error = one->error + other->error;
    return is_within(one->idle, other->idle, error) && is_within(other->idle, one->idle, error);
}

/* Whether two hosts are equally fast. A slower host with a shorter queue is not: where such hosts alternated, of 16 callers of hosts of 1 and 5 ms
 * some waited for 5.1 ms in place of 4. */
static bool is_similar(const expectation_t *expected, const expectation_t *least) {
    double error = expected->error * (1 + expected->share) + least->error * (1 + least->share);
    return is_as_fast(expected, least) && is_within(expected->total, least->total, error);
}

/* Of equally fast hosts the one with the fewest requests takes the next, and of these the one that was chosen longest ago. */
static bool is_before(const host_search_t *search, const expectation_t *one, const expectation_t *other) {
    if (one->load != other->load) return one->load < other->load;
    return search->choice->hosts[one->at].chosen_at < search->choice->hosts[other->at].chosen_at;
}

/* The host from which the answer is expected first. */
static const expectation_t *find_least(const expectation_t *expected, long count) {
    const expectation_t *fastest = expected, *least = expected;
    for (long index = 1; index < count; index++) {
        if (expected[index].idle < fastest->idle) fastest = &expected[index];
        if (expected[index].total < least->total) least = &expected[index];
    }
    return fastest->total <= least->total * PREFER_FASTER && !is_as_fast(least, fastest) ? fastest : least;
}

static long find_quickest(host_search_t *search) {
    expectation_t candidates[FEW_HOSTS];
    long found = find_candidates(search, candidates);
    if (found == 0) return -1;
    for (long index = 0; index < found; index++) expect(search, &candidates[index]);
    const expectation_t *least = find_least(candidates, found), *best = least;
    for (long index = 0; index < found; index++) {
        if (is_similar(&candidates[index], least) && is_before(search, &candidates[index], best)) best = &candidates[index];
    }
    return best->at;
}

static long find_host(host_search_t *search) {
    long at = find_unopened(search);
    if (at < 0) at = find_neglected(search);
    if (at >= 0) return at;
    at = find_quickest(search);
    if (at < 0) at = find_oldest(search, true);
    return at < 0 ? find_oldest(search, false) : at;
}

static void begin_period(host_choice_t *choice, double now) {
    bool follows = now - choice->period_began < 2 * PERIOD;
    if (now - choice->period_began < PERIOD) return;
    for (long at = 0; at < choice->count; at++) {
        host_t *host = &choice->hosts[at];
        host->callers[1] = follows ? host->callers[0] : 0;
        host->callers[0] = 0;
    }
    choice->period += follows ? 1 : 2;
    choice->period_began = now;
}

/* call-seq: choose(services, passed) -> Integer or nil
 *
 * The host from which the answer is expected first. services: the service times of the request's statement on each host, an Array of ServiceTime, or nil;
 * passed: Array of Integer, hosts that are left out, or nil. Nil: no other may be chosen. The caller counts as one that waits there until {#left}. */
static VALUE host_choice_choose(VALUE self, VALUE services, VALUE passed) {
    host_choice_t *choice = host_choice_of(self);
    if (!NIL_P(services) && (!RB_TYPE_P(services, T_ARRAY) || RARRAY_LEN(services) != choice->count)) rb_raise(rb_eArgError, "each host has a service");
    if (!NIL_P(passed)) Check_Type(passed, T_ARRAY);
    host_search_t search = {.choice = choice, .services = services, .passed = passed, .now = clock_now(), .known = HUGE_VAL, .round_trip = HUGE_VAL};
    begin_period(choice, search.now);
    long at = find_host(&search);
    if (at < 0) return Qnil;
    choice->hosts[at].chosen_at = search.now;
    choice->hosts[at].chosen++;
    choice->hosts[at].callers[0]++;
    return LONG2FIX(at);
}

/* call-seq: period -> Integer
 *
 * The number of the present one, for left. */
static VALUE host_choice_period(VALUE self) { return ULL2NUM(host_choice_of(self)->period); }

/* call-seq: left(at, period) -> host_choice
 *
 * A caller for which the host was chosen in that period has its answer, or has stopped waiting there. */
static VALUE host_choice_left(VALUE self, VALUE at, VALUE period) {
    host_t *host = host_checked(self, at);
    unsigned long long ago = host_choice_of(self)->period - NUM2ULL(period);
    if (ago < 2 && host->callers[ago] > 0) host->callers[ago]--;
    return self;
}

/* call-seq: idle?(at) -> true or false
 *
 * Whether the host has an idle connection. */
static VALUE host_choice_is_idle(VALUE self, VALUE at) { return RBOOL(dispatcher_of(host_checked(self, at)->dispatcher)->occupancy.idle_count > 0); }

/* call-seq: usable(at, usable) -> host_choice
 *
 * Sets whether the host may be chosen. */
static VALUE host_choice_set_usable(VALUE self, VALUE at, VALUE usable) {
    host_t *host = host_checked(self, at);
    host->usable = RTEST(usable);
    host->opening = 0;
    host_choice_of(self)->opened_for = 0;
    return self;
}

static VALUE host_choice_is_usable(VALUE self, VALUE at) { return RBOOL(host_checked(self, at)->usable); }

/* call-seq: chosen(at) -> Integer
 *
 * How often the host was chosen. */
static VALUE host_choice_chosen(VALUE self, VALUE at) { return ULL2NUM(host_checked(self, at)->chosen); }

void Init_trunkline_host_choice(void) {
    VALUE class = rb_define_class_under(mTrunkline, "HostChoice", rb_cObject);
    trunkline_define_new(class, host_choice_new);
    rb_define_method(class, "initialize", host_choice_initialize, 1);
    rb_define_method(class, "choose", host_choice_choose, 2);
    rb_define_method(class, "left", host_choice_left, 2);
    rb_define_method(class, "period", host_choice_period, 0);
    rb_define_method(class, "idle?", host_choice_is_idle, 1);
    rb_define_method(class, "usable", host_choice_set_usable, 2);
    rb_define_method(class, "usable?", host_choice_is_usable, 1);
    rb_define_method(class, "chosen", host_choice_chosen, 1);
}
