/* Trunkline::Service: how long a server needs for requests of one kind, and whether that is long. */
#ifndef TRUNKLINE_SERVICE_H
#define TRUNKLINE_SERVICE_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include "histogram.h"

/* Seconds: a long one that takes less on average is short again. A quarter of LONG, so that what takes about as long does not flap (traffic_test.rb);
 * half and double change nothing on the traffic of bin/bench policy. */
#define SHORT_AGAIN 0.0005

/* Long requests at once that count as no load. Beside 160 reports a second on one processor the worst p99 of short queries is 0.6 ms, and 6.3 ms
 * with 4. With 1 a probe takes twice as long. */
#define UNLOADED 2
/* Measurements of an unloaded time, and of a probe. Reports of 5 ms, exponential, 330 a second, had a worst median of 155 ms with 4 and of 37 with
 * 8; queries that take four times as long from a moment on are held back for 0.9 s with 16. */
#define UNLOADED_ENOUGH 8

/* Measurements before what hosts are compared by: the first ones hold the plan that is made, and the time that connecting took. */
#define STEADY_FROM 8

typedef struct {
    double mean;         /* seconds on average, without the way there and back */
    double steady;       /* the same of more measurements, to compare hosts by */
    double deviation;    /* seconds by which measurements differ from that, on average */
    double unloaded;     /* the same of those that ran beside the fewest long ones */
    size_t fewest;       /* long ones that ran then, with itself; UNLOADED for fewer */
    unsigned measured;   /* of those; 0: unloaded is not known */
    unsigned probe;      /* in which fewest was found */
    histogram_t taken;   /* seconds of all requests measured */
    double waited;       /* seconds that they were in flight behind others, in all */
    uint64_t long_count; /* requests sent as long ones */
    unsigned considered; /* requests that could have let the server say when it begins */
    size_t awaited;      /* requests in flight that were sent while it was not known */
    bool is_known;       /* it was measured, and once that left no doubt */
    bool is_long;
    bool doubtful;       /* the mean may hold time that was not the server's */
} service_t;

/* Of an object that is known to be one. */
static inline service_t *service_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Of what was never measured. */
VALUE service_create(void);

/* A server has needed this many seconds; or, if that is not sure, at most this many: the rest may be the way, or the client's
 * own delay in reading. */
void service_measure(service_t *service, double seconds, bool sure);

/* The same of one that was cut short: nothing is learned where it has taken no longer than is expected. */
void service_measure_part(service_t *service, double seconds, bool sure);

/* A long one has needed so many seconds, while `running` of them ran, since a probe of that number began. */
void service_learn_unloaded(service_t *service, double seconds, size_t running, unsigned probe);

/* Whether the request that is about to be sent should let the server say when it begins, so that its measurement is sure. Of those that
 * take a while, one in eight should, of however many are sent before the first is answered. */
static inline bool service_is_doubted(service_t *service) {
    return service->doubtful || (service->mean > SHORT_AGAIN && service->taken.count > 0 && service->considered++ % 8 == 0);
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_service(void);

#endif
