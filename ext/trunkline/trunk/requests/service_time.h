/* Trunkline::ServiceTime: the measured service times of one statement, and whether they are long. */
#ifndef TRUNKLINE_SERVICE_TIME_H
#define TRUNKLINE_SERVICE_TIME_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "histogram.h"

/* Seconds of mean service time below which a long statement becomes short again. A quarter of LONG, so that a statement near the limit does not
 * alternate (traffic_test.rb); half and double change nothing on the traffic of bin/bench policy. */
#define SHORT_AGAIN 0.0005

/* Long requests that may run at once while the server counts as unloaded. Beside 160 reports a second on one processor the worst p99 of short queries
 * is 0.6 ms, and 6.3 ms with 4. With 1 a probe takes twice as long. */
#define UNLOADED 2
/* Measurements for an unloaded time, and for a probe. Reports of 5 ms, exponential, 330 a second, had a worst median of 155 ms with 4 and of 37 with
 * 8; queries that take four times as long from a moment on are held back for 0.9 s with 16. */
#define UNLOADED_ENOUGH 8

/* Of statements that take a while, one request of so many makes the server report its beginning. With 2 or 32 in its place simulated traffic is the same but
 * for chance: see bench/results/policy-profile.md. It is a bound on how many requests of a statement that has become longer are sent before that is noticed:
 * measurements without a report are upper bounds, which do not raise such a mean. */
#define START_REPORT_EVERY 8

/* Measurements that are made before hosts are compared: the first ones include planning, and the time that connecting took. Of 8 callers' reads the slower of
 * simulated hosts that wait for 1 and 5 ms, exponentially, has 7 % with 2, 5 with 4, 0.9 with 8 and 0.5 with 16; the p99 is 1.7, 1.7, 0.8 and 1.1 times that
 * of the faster alone. */
#define STEADY_FROM 8

typedef struct {
    double mean;         /* seconds on average, without the round trip */
    double steady;       /* a slower moving average, by which hosts are compared */
    double deviation;    /* mean absolute deviation of measurements from that, in seconds */
    double unloaded;     /* mean of the requests that ran beside the fewest long requests */
    size_t unloaded_running; /* long requests that ran then, itself included; UNLOADED if fewer did */
    unsigned unloaded_count; /* requests in `unloaded`; 0: it is not known */
    unsigned unloaded_probe; /* the number of the probe in which unloaded_running was found */
    histogram_t times;   /* seconds of all requests measured */
    double waited;       /* seconds in sum that they were in flight behind others */
    uint64_t long_count; /* requests that were long when they were sent */
    unsigned start_report_candidates; /* requests that could have made the server report their beginning */
    size_t unknown_in_flight; /* requests in flight that were sent before is_known */
    bool is_known;       /* it was measured, and the mean was reliable at least once */
    bool is_long;
    bool doubtful;       /* the mean may include time that was not the server's */
} service_time_t;

/* The struct of an object whose class is known. */
static inline service_time_t *service_time_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* A new object without measurements. */
VALUE service_time_create(void);

/* Adds a measurement: the server needed this many seconds. Without `sure` that is an upper bound: the rest may be the round trip, or the client's own
 * delay in reading. */
void service_time_measure(service_time_t *service, double seconds, bool sure);

/* The same for a request that was cut short, whose time is a lower bound: it is left out unless it exceeds the mean. */
void service_time_measure_lower_bound(service_time_t *service, double seconds, bool sure);

/* Adds a measurement of a long request while `running` of them ran, in the probe of that number. */
void service_time_learn_unloaded(service_time_t *service, double seconds, size_t running, unsigned probe);

/* Whether the request that is about to be sent should make the server report its beginning, so that its measurement is exact. Of statements that
 * take a while, every eighth request does, however many are sent before the first is answered. */
static inline bool service_time_wants_start_report(service_time_t *service) {
    return service->doubtful || (service->mean > SHORT_AGAIN && service->times.count > 0 && service->start_report_candidates++ % START_REPORT_EVERY == 0);
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_service_time(void);

#endif
