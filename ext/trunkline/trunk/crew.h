/* Trunkline::Crew: the waiters aboard a trunk, their world, the one that leads, and those that are parked. */
#ifndef TRUNKLINE_CREW_H
#define TRUNKLINE_CREW_H

#include <ruby.h>
#include <stdbool.h>
#include "cancelling.h"
#include "codec_base.h"
#include "fifo.h"
#include "request.h"
#include "../socket/process_generation.h"

#define SHORT_BACKLOG 0.001 /* seconds for which it does not pay to go elsewhere */

typedef struct crew {
    VALUE codec;      /* has the trunk's requests in flight */
    VALUE wire;       /* between the codec and the server */
    VALUE io;         /* of a wire that adds nothing to the bytes; or nil */
    VALUE pool;       /* told when the trunk is free */
    VALUE woken;      /* an Array of requests whose waiters are owed a wake-up */
    request_t parked; /* the ring's anchor: parked.newer is the oldest, parked.older the newest */
    VALUE world;      /* of all waiters aboard; nil without any, so that an event loop that has ended is collected with its fibers */
    VALUE thread;     /* whose event loop that is; nil where the world is */
    VALUE leader;     /* the request whose waiter reads for all, or nil */
    VALUE heir;       /* the request whose waiter was woken to lead and has not come yet, or nil */
    double earliest;  /* no waiter stops waiting before */
    double rest;      /* when the leader, which sleeps, looks at the clock; -INFINITY: it is awake */
    size_t aboard;
    size_t endings;    /* callers that end a request of theirs here, aboard or not */
    unsigned int generation;
    int descriptor;   /* where answers come from, for a look whether one lies there; -1: not known */
    uint64_t unread;  /* what Bytes#transfers said of the input when an answer was seen to lie there: it does until that changes */
    bool reserved;    /* for pinned requests only */
    bool shut;        /* to requests that are not in flight yet: see cancelling.h, which alone changes it */
    cancelling_t cancelling;
    bool asleep;      /* the leader, until there is something to read */
    double working;   /* since when the leader has not waited, nor given the others a turn; 0: it has, and has read nothing since */
    bool turning;     /* a caller gives the others a turn before it writes what lies in the output */
    bool answerless;  /* the only request in flight was written just now: there can be no answer yet */
    size_t most_requests; /* in flight, beyond which it is not chosen */
    uint64_t most_bytes;  /* likewise */
    double expiry;        /* when it is not to be chosen any more, on the one clock */
} crew_t;

static inline crew_t *crew_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Of what Ruby gives: raises TypeError when it is something else. */
crew_t *crew_checked(VALUE object);

static inline codec_base_t *crew_codec(const crew_t *crew) { return RTYPEDDATA_DATA(crew->codec); }
static inline fifo_t *crew_in_flight(const crew_t *crew) { return &crew_codec(crew)->in_flight; }

/* Does its wire add nothing to the bytes? Then they are read and written without it. */
static inline bool crew_is_plain(const crew_t *crew) { return !NIL_P(crew->io); }

/* Will fibers of the world, a scheduler of that thread, never go on? Their thread has ended, or it is the calling one and goes on without that
 * scheduler. */
bool world_is_over(VALUE world, VALUE thread);

/* Where the world of everyone aboard is over: they leave. True: they did. */
bool crew_forget_dead(crew_t *crew);

/* A crew without waiters takes those of any world: the first to come brings its own. A forked child's copy takes none. */
static inline bool crew_admits(crew_t *crew, VALUE world, bool pinned) {
    if (crew->generation != process_generation || crew->reserved != pinned) return false;
    return crew->aboard == 0 || crew->world == world || crew_forget_dead(crew);
}

/* Is no waiter aboard, and none about to end what it has left? */
static inline bool crew_is_deserted(const crew_t *crew) { return crew->aboard == 0 && crew->endings == 0; }

/* May another request be sent? */
static inline bool crew_takes(crew_t *crew, VALUE world, bool pinned) { return !crew->shut && crew_admits(crew, world, pinned); }

static inline bool crew_has_room(const crew_t *crew) {
    const fifo_t *fifo = crew_in_flight(crew);
    return fifo->count < crew->most_requests && fifo_bytes(fifo) < crew->most_bytes;
}

/* Is there a leader, or one on its way? It flushes before it waits. */
static inline bool crew_is_led(const crew_t *crew) { return !NIL_P(crew->leader) || !NIL_P(crew->heir); }

/* Does the server work on a request that no caller waits for? */
static inline bool crew_has_given_up_head(const crew_t *crew) {
    VALUE head = fifo_head(crew_in_flight(crew));
    return head != Qundef && !NIL_P(head) && request_of(head)->done;
}

/* Takes the request's waiter aboard. False: the trunk is busy for another world, or reserved. */
bool crew_board(crew_t *crew, request_t *request);

/* Ruby's Crew#enter, #lead, #rest, #rise and #leave: see there. */
VALUE crew_enter(VALUE self, VALUE request);
VALUE crew_lead(VALUE self, VALUE request);
VALUE crew_rest(VALUE self);
VALUE crew_rise(VALUE self, VALUE woken);
VALUE crew_leave(VALUE self, VALUE request);

/* The request's waiter gives up the lead, if it has it, or is to have it. Nil: there is a leader. A request: its waiter was parked and is
 * woken now to lead; the caller owes it its wake-up. False: none is left to lead. */
VALUE crew_resign(crew_t *crew, VALUE request);

/* Seconds of backlog up to which short requests join: a little, and what is on the way meanwhile. */
double crew_enough(const crew_t *crew);

/* Seconds until the server will be through. Of an answer that lies there unread the server is innocent. */
double crew_backlog(crew_t *crew, double now);

/* Does something lie in the socket that is not read yet? */
bool crew_has_answer(crew_t *crew);

/* Does the server work on its oldest request for so many seconds longer than was expected? */
bool crew_is_late(crew_t *crew, double now, double seconds);

/* Does the server work on a request that takes long, or may, for all that is known, or that is late? */
bool crew_is_held_up(crew_t *crew, double now);

#endif
