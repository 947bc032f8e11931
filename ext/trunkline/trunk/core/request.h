/* Trunkline::Request: one question on a trunk, and the fiber or thread that waits for its answer.
 *
 * A waiter is running, parked or woken:
 *
 *     running --park--> parked --wake--> woken --resume--> running
 *
 * Every change is one C call, so the GVL makes it one step for threads too. The caller that moves a waiter from parked to
 * woken owes it one wake-up, and only that move does. Codecs embed request_t at the start of a struct of their own. */
#ifndef TRUNKLINE_REQUEST_H
#define TRUNKLINE_REQUEST_H

#include <ruby.h>
#include <stdbool.h>
#include "service.h"

typedef enum { WAITER_RUNNING, WAITER_PARKED, WAITER_WOKEN } waiter_state_t;

/* How much work it is for the server: what was expected, and what was measured. The dispatcher and service.c use it. */
typedef struct {
    service_t *service; /* what is known of its kind; NULL: nothing, and nothing is learned. Its owner is marked by the struct around the request */
    double cost;        /* seconds that the server is expected to need for it */
    double pushed;      /* when it came to be in flight */
    double taken;       /* seconds that the server has worked on it, as far as that can be seen; 0: not measured */
    size_t beside;      /* trunks with a long one in flight when this long one was sent */
    bool cut_short;     /* its answer came before the server was through with it: that tells how long it takes at least */
    bool is_long;       /* counts as a long one where it is in flight */
    bool is_watched;    /* where it is long, it is to be measured for sure: what chose its connection holds long ones back, or looks whether it should */
    bool is_unknown;    /* likewise as one of which it is not known how long it takes */
} request_work_t;

typedef struct request {
    VALUE self;
    VALUE fiber;          /* that waits; its thread, where that has no scheduler */
    VALUE scheduler;      /* its scheduler, or nil where plain threads are */
    VALUE thread;         /* whose scheduler that is; nil where the scheduler is */
    VALUE token;          /* what a plain thread sleeps on, from when it first has to */
    VALUE failure;        /* why no answer will come; or nil */
    VALUE listed;         /* Array in which its future waits until it is done, and which is empty then; or nil */
    struct request *older; /* neighbours among the parked, none when not parked */
    struct request *newer;
    waiter_state_t state;
    bool done;            /* nothing more will come */
    bool delivered;       /* the wake-up that it is owed as woken has been given */
    bool eager;           /* its caller asks for more without waiting for the answer */
    bool claimed;         /* a caller waits for it already */
    bool active;          /* counted among the active callers of its trunk */
    bool pinned;          /* goes only onto the trunk that is reserved for its caller */
    bool limited;         /* the server ends it by itself when its deadline has passed */
    bool idempotent;      /* its caller says that it may be carried out twice */
    double deadline;      /* when its answer has lost its sense */
    double until;         /* when its waiter stops waiting: then, or earlier */
    uint64_t offset;      /* bytes written to its trunk before it */
    request_work_t work;
} request_t;

extern VALUE cTrunklineRequest;
extern const rb_data_type_t request_type; /* parent of every codec's request type */

/* Fills a fresh request: it belongs to the calling fiber or thread. */
void request_prepare(request_t *request, VALUE self);

/* Its kind is known. */
static inline void request_serve(request_t *request, service_t *service) {
    request->work.service = service;
    request->work.cost = service->mean;
}

/* What embedding types call from their own mark and free functions. */
void request_mark(void *request);
void request_unlink(request_t *request);

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline request_t *request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Of what a caller gives: raises TypeError when it is something else. */
request_t *request_checked(VALUE object);

/* The answer is complete, or will never come. True: its waiter was parked, and the caller now owes it a wake-up. */
bool request_finish(request_t *request);

/* Ruby's Request#wake: see there. */
VALUE request_wake(VALUE self);

/* Whether waking its waiter runs nothing that is written in Ruby, where an interrupt could come between. */
bool request_wakes_at_once(VALUE self);

/* Whether its waiter should stop waiting. */
bool request_patience_over(const request_t *request);

/* Whether its answer has lost its sense. */
bool request_deadline_passed(const request_t *request);

/* Moves a parked waiter to woken. False: it is not parked. */
bool request_wake_up(request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_request(void);

#endif
