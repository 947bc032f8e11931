#include "service_time.h"

#include <math.h>
#include "../../common/classes.h"

/* Half and double of each constant but DOUBTFUL_WEIGHT change simulated traffic by no more than other seeds do, so only the order of magnitude
 * matters. The figures are in bench/results/policy-profile.md. */
#define INITIAL_MEAN 0.001    /* seconds that are expected before the first measurement */
#define LONG 0.002            /* seconds beyond which a short one becomes long */
#define UNSURE_MAX 0.0005     /* seconds up to which measurements that are only upper bounds can raise the mean */
#define WEIGHT 0.125          /* of a new measurement in the moving average */
/* Likewise while the mean is doubtful. With 0.125 queries that wait for 20 ms, exponentially, are taken for long too late: a worst median of 138 ms,
 * and of 30 with 0.25. */
#define DOUBTFUL_WEIGHT 0.25
/* Of a new mean in `steady`. Of 8 callers' reads the slower of simulated hosts that compute for 1 and 5 ms, exponentially, had 13 % with 1, and has 1 %. */
#define STEADY_WEIGHT 0.0625
#define CLIP_FACTOR 4         /* multiples of the mean to which a measurement is clipped: a pause of the client is not the server's time */
#define CLIP_MARGIN 0.00002   /* seconds to which a measurement is never clipped, a bound: a mean of 0 would stay 0 */

static size_t service_time_memsize(const void *data) { return sizeof(service_time_t); }

static const rb_data_type_t service_time_type = {
    .wrap_struct_name = "Trunkline::ServiceTime",
    .function = {.dfree = RUBY_TYPED_DEFAULT_FREE, .dsize = service_time_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE cServiceTime;

static VALUE service_time_allocate(VALUE class) {
    service_time_t *service;
    VALUE self = TypedData_Make_Struct(class, service_time_t, &service_time_type, service);
    service->mean = INITIAL_MEAN;
    return self;
}

VALUE service_time_create(void) { return service_time_allocate(cServiceTime); }

static double clipped(double seconds, double mean) { return fmin(seconds, mean * CLIP_FACTOR + CLIP_MARGIN); }

static void average(service_time_t *service, double seconds) { service->mean += (clipped(seconds, service->mean) - service->mean) * WEIGHT; }

/* While the mean is doubtful, a shorter measurement replaces it; a longer one raises it only gradually, so that several must agree before the
 * statement is long. */
static void resolve_doubt(service_time_t *service, double seconds) {
    double before = service->mean;
    if (seconds < before) service->mean = seconds;
    else service->mean += (clipped(seconds, before) - before) * DOUBTFUL_WEIGHT;
    service->doubtful = seconds > before && service->mean <= LONG;
}

/* Adds an upper bound: it lowers the mean, or raises it to UNSURE_MAX at most. If the mean is then more than half of UNSURE_MAX, it is doubtful, and the
 * next requests are measured exactly. */
static void average_at_most(service_time_t *service, double seconds) {
    if (seconds > UNSURE_MAX && service->mean < UNSURE_MAX) service->doubtful = service->doubtful || service->mean > UNSURE_MAX / 2;
    average(service, fmin(seconds, fmax(UNSURE_MAX, service->mean)));
}

/* Updates the average by which hosts are compared, in which the first measurements do not count. */
static void learn_steady(service_time_t *service, double seconds) {
    double by = fmin(fabs(seconds - service->steady), fmax(UNSURE_MAX, service->steady * CLIP_FACTOR));
    double weight = service->times.count < STEADY_FROM ? 1 : fmax(STEADY_WEIGHT, 1 / (double)(service->times.count - STEADY_FROM + 1));
    service->deviation += (by - service->deviation) * weight;
    service->steady += (service->mean - service->steady) * weight;
}

void service_time_measure(service_time_t *service, double seconds, bool sure) {
    seconds = fmax(seconds, 0);
    histogram_add(&service->times, seconds);
    if (service->times.count == 1) {
        service->mean = fmin(seconds, UNSURE_MAX);
        service->doubtful = seconds > UNSURE_MAX;
    } else if (service->doubtful && (sure || seconds < service->mean)) {
        resolve_doubt(service, seconds);
    } else if (sure) {
        average(service, seconds);
    } else {
        average_at_most(service, seconds);
    }
    learn_steady(service, seconds);
    service->is_known = service->is_known || !service->doubtful;
    service->is_long = service->mean > (service->is_long ? SHORT_AGAIN : LONG);
}

/* A statement that was cancelled as soon as it began would look short, and the next abandoned one would not be cancelled. */
void service_time_measure_lower_bound(service_time_t *service, double seconds, bool sure) {
    if (seconds > service->mean) service_time_measure(service, seconds, sure);
}

/* After a new probe, or when fewer requests ran, the former unloaded time counts as one measurement. */
static void learn_anew(service_time_t *service, size_t fewest) {
    service->unloaded_running = fewest;
    if (service->unloaded_count > 1) service->unloaded_count = 1;
}

void service_time_learn_unloaded(service_time_t *service, double seconds, size_t running, unsigned probe) {
    size_t few = running > UNLOADED ? running : UNLOADED;
    if (service->unloaded_probe != probe || few < service->unloaded_running || service->unloaded_count == 0) learn_anew(service, few);
    service->unloaded_probe = probe;
    if (few > service->unloaded_running) return;
    if (service->unloaded_count < UNLOADED_ENOUGH) service->unloaded_count++;
    service->unloaded += (seconds - service->unloaded) / service->unloaded_count;
}

/* call-seq: measure(seconds, sure) -> service */
static VALUE service_time_take(VALUE self, VALUE seconds, VALUE sure) {
    service_time_measure(service_time_of(self), NUM2DBL(seconds), RTEST(sure));
    return self;
}

/* call-seq: mean -> Float
 *
 * Seconds of service time on average; a default before anything was measured. */
static VALUE service_time_mean(VALUE self) { return DBL2NUM(service_time_of(self)->mean); }

/* call-seq: figures -> [Integer, Float, Float, Float, Integer], or nil
 *
 * The number of answered requests; their mean service time and its 99th percentile, in seconds; the seconds that they were in flight behind others,
 * on average; and how many were sent as long ones. Nil: none was answered. */
static VALUE service_time_figures(VALUE self) {
    const service_time_t *service = service_time_of(self);
    const histogram_t *taken = &service->times;
    if (taken->count == 0) return Qnil;
    return rb_ary_new_from_args(5, ULL2NUM(taken->count), DBL2NUM(histogram_mean(taken)), DBL2NUM(histogram_quantile(taken, 0.99)),
                                DBL2NUM(service->waited / (double)taken->count), ULL2NUM(service->long_count));
}

static VALUE service_time_is_long(VALUE self) { return RBOOL(service_time_of(self)->is_long); }
static VALUE service_time_get_wants_start_report(VALUE self) { return RBOOL(service_time_wants_start_report(service_time_of(self))); }

void Init_trunkline_service_time(void) {
    VALUE class = cServiceTime = rb_define_class_under(mTrunkline, "ServiceTime", rb_cObject);
    rb_define_alloc_func(class, service_time_allocate);
    rb_define_method(class, "measure", service_time_take, 2);
    rb_define_method(class, "mean", service_time_mean, 0);
    rb_define_method(class, "figures", service_time_figures, 0);
    rb_define_method(class, "long?", service_time_is_long, 0);
    rb_define_method(class, "wants_start_report?", service_time_get_wants_start_report, 0);
}
