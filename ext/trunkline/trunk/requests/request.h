/* Trunkline::Request: one request to the server, and the fiber or thread that waits for its answer.
 *
 * A waiter is running, parked or woken: running --park--> parked --wake--> woken --resume--> running
 *
 * Every change is one C call, so the GVL makes it one step for threads too. The caller that moves a waiter from parked to woken owes it one wake-up,
 * and only that step does. Codecs embed request_t at the start of a struct of their own. */
#ifndef TRUNKLINE_REQUEST_H
#define TRUNKLINE_REQUEST_H

#include <ruby.h>
#include <stdbool.h>
#include "service_time.h"

typedef enum { WAITER_RUNNING, WAITER_PARKED, WAITER_WOKEN } waiter_state_t;

/* Of a woken waiter. One that a scheduler resumes for nothing while its wake-up is owed sleeps on: else the wake-up would end a later wait. Some
 * schedulers resume the waiter while they are given the wake-up, so it is under way before it is delivered. */
typedef enum { WAKE_UP_OWED, WAKE_UP_UNDER_WAY, WAKE_UP_DELIVERED } wake_up_t;

/* How much work the request is for the server: what was expected, and what was measured. The dispatcher and service_time.c use it. */
typedef struct {
    service_time_t *service; /* service times of its statement; NULL: none are kept. The struct around the request marks its owner */
    double cost;        /* seconds that the server is expected to need for it */
    double pushed;      /* when it joined the FIFO */
    double server_seconds; /* measured seconds of the server's work on it; 0: not measured */
    size_t longs_at_send; /* connections with a long request in flight when this long request was sent */
    bool cut_short;     /* its answer came before the server had finished it (cancelled, say): the measurement is a lower bound */
    bool is_long;       /* counted as long among the requests in flight */
    bool measure_exactly; /* a long request whose service time must be measured exactly, as the concurrency limit holds long requests back or probes */
    bool is_unknown;    /* counted among the requests in flight as one whose service time is not known */
} request_work_t;

typedef struct request {
    VALUE self;
    VALUE fiber;          /* that waits for the answer; its thread, where it has no scheduler */
    VALUE scheduler;      /* the fiber's scheduler; nil for plain threads */
    VALUE thread;         /* the scheduler's thread; nil where the scheduler is */
    VALUE token;          /* the queue that a plain thread sleeps on, made when it first sleeps */
    VALUE failure;        /* why no answer will come; or nil */
    VALUE cleared;        /* Array that holds its future, and is emptied when the request is done; or nil */
    struct request *older; /* neighbours in the ring of parked waiters; NULL when not parked */
    struct request *newer;
    waiter_state_t state;
    bool done;            /* answered, failed or abandoned */
    wake_up_t wake_up;    /* that it gets since it became woken */
    bool pipelined;       /* its caller sends more requests without waiting for the answer */
    bool claimed;         /* a caller waits for it already */
    bool active;          /* counted among the active callers of its trunk */
    bool pinned;          /* may be sent only over the connection that is reserved for its caller */
    bool has_server_timeout; /* the server itself ends it at its deadline (statement_timeout) */
    bool idempotent;      /* its caller allows that it is executed twice */
    double deadline;      /* after which its caller has no use for the answer */
    double wait_until;    /* until when its waiter waits at most */
    unsigned int generation; /* of the process that made it: a forked child has copies of the requests of its parent */
    uint64_t offset;      /* bytes of output that were appended to its connection before it */
    request_work_t work;
} request_t;

extern VALUE cTrunklineRequest;
extern const rb_data_type_t request_type; /* parent of each codec's request type */

/* Initialises a newly allocated request for the calling fiber or thread. */
void request_initialize(request_t *request, VALUE self);

/* Sets the service times that it is estimated by, and measured for. */
static inline void request_set_service(request_t *request, service_time_t *service) {
    request->work.service = service;
    request->work.cost = service->mean;
}

/* What embedding types call from their own mark and free functions. */
void request_mark(void *request);
void request_unlink(request_t *request);

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline request_t *request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* The struct of any object. Raises TypeError when it is no Request. */
request_t *request_checked(VALUE object);

/* Marks the request as done: its answer is complete, or will never come. True: its waiter was parked, and the caller owes it a wake-up. */
bool request_finish(request_t *request);

/* Request#wake in Ruby: gives the wake-up that its waiter is owed. Runs Ruby, the scheduler's unblock, unless request_wakes_at_once. */
VALUE request_wake(VALUE self);

/* Whether waking its waiter runs no Ruby code, in which an interrupt could be raised. */
bool request_wakes_at_once(VALUE self);

/* Whether its waiter's time to wait is over. */
bool request_wait_is_over(const request_t *request);

/* Whether its deadline has passed. */
bool request_deadline_passed(const request_t *request);

/* Whether a waiter that its scheduler resumes sleeps again: it is parked, or its wake-up is owed still. */
bool request_sleeps_on(const request_t *request);

/* Moves a parked waiter to woken: the caller owes it a wake-up. False: it is not parked. */
bool request_mark_woken(request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_request(void);

#endif
