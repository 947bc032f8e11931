/* What Trunkline::ConnectionState holds: the callers that are active on a connection, their scheduler, and the election of the leader, which reads for all of
 * them; what is reserved, shut, or being cancelled; and the bounds of what may be in flight. */
#ifndef TRUNKLINE_CONNECTION_H
#define TRUNKLINE_CONNECTION_H

#include <ruby.h>
#include <stdbool.h>
#include "codec_base.h"
#include "in_flight.h"
#include "flag.h"
#include "request.h"
#include "../../socket/process_generation.h"

/* Seconds for which it does not pay to go elsewhere. Beside reports of 5 ms, exponential, 330 a second, the short queries' p99 is 0.40 ms, 0.42 with half
 * and 0.46 with double: see bench/results/policy-profile.md. */
#define SHORT_BACKLOG 0.001

/* Whether it is shut, and for which cancel: see cancelling.h, which alone changes it. */
typedef struct {
    VALUE canceller; /* the request whose waiter cancels, or nil */
    VALUE fence;     /* in flight, not answered when it was last looked at, or nil */
    double again;    /* when the leader looks whether the abandoned head has ended, on the one clock; INFINITY: it need not */
    bool exposed;    /* the server was asked to cancel, and no fence was submitted since */
    bool sealed;     /* takes no more requests, whether a cancel is under way or not: it ends when it is through */
} cancelling_t;

/* Since when its server has said nothing: see silence.h, which alone changes it. */
typedef struct {
    double after;      /* seconds of silence that are looked into */
    double heard;      /* when the leader last went to sleep after something had come */
    double excused;    /* not before, as the server has shown meanwhile that it is there; 0: it has not */
    uint64_t reads;    /* what Bytes#transfers said of the input then */
} silence_t;

/* For how long its callers have not done what is theirs to do next: see stall.h, which alone changes it. */
typedef struct {
    VALUE displaced;    /* the request whose waiter slept as leader when another caller took the lead over, and sleeps still; or nil */
    double looked;      /* when it was seen to stall last, on the one clock; 0: at the last look it did not */
    double seconds;     /* for which it has stalled, as far as that was seen */
    uint64_t transfers; /* reads and writes until then */
} stall_t;

/* The leader of that request has slept, and leads no more: it sleeps no longer, if it was displaced. */
static inline void stall_note_awake(stall_t *stall, VALUE request) {
    if (stall->displaced == request) stall->displaced = Qnil;
}

typedef struct connection {
    VALUE codec;      /* has the trunk's requests in flight */
    VALUE wire;       /* between the codec and the server */
    VALUE io;         /* where C reads, writes and waits; nil: the wire does, in Ruby */
    VALUE tls;        /* the TLSSession through which it does; or nil */
    VALUE crowded_flag;    /* owns the next */
    const flag_t *crowded; /* on while callers wait for a trunk of the pool; NULL: there is no pool */
    VALUE woken;      /* an Array of requests whose waiters are owed a wake-up */
    request_t parked; /* the ring's anchor: parked.newer is the oldest, parked.older the newest */
    VALUE scheduler;  /* of all active callers; nil without any, so that an event loop that has ended is collected with its fibers */
    VALUE thread;     /* whose event loop that is; nil where the scheduler is */
    VALUE leader;     /* the request whose waiter reads for all, or nil */
    VALUE next_leader; /* the request whose waiter was woken to lead and has not come yet, or nil */
    double earliest;  /* no waiter stops waiting before */
    double rest;      /* when the leader, which sleeps, looks at the clock; -INFINITY: it is awake */
    size_t active;
    size_t endings;    /* callers that end a request of theirs here, active or not */
    unsigned int generation;
    int descriptor;   /* where answers come from, for a look whether one lies there; -1: not known */
    uint64_t unread;  /* what Bytes#transfers said of the input when an answer was seen to lie there: it does until that changes */
    bool reserved;    /* for pinned requests only */
    bool dropped;     /* since it was reserved, its callers were forgotten as fibers that never go on: its owner is one */
    bool lost;        /* it has ended: what is in flight has failed */
    bool shut;        /* to requests that are not in flight yet: see cancelling.h, which alone changes it */
    cancelling_t cancelling;
    silence_t silence;
    stall_t stall;
    bool asleep;      /* the leader, until there is something to read */
    double working;   /* since when the leader has not waited, nor given the others a turn; 0: it has, and has read nothing since */
    bool looking;     /* the leader looks whether the idle connection is alive: nothing is written until it has */
    bool yielding;    /* the leader gives the others a turn before it reads on */
    bool turning;     /* a caller gives the others a turn before it writes what lies in the output */
    bool answerless;  /* the only request in flight was written just now: there can be no answer yet */
    size_t most_requests; /* in flight, beyond which it is not chosen */
    uint64_t most_bytes;  /* likewise */
    double expiry;        /* when it is not to be chosen any more, on the one clock */
} connection_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline connection_t *connection_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Of what Ruby gives: raises TypeError when it is something else. */
connection_t *connection_checked(VALUE object);

/* What its codec embeds, and the requests in flight in it. */
static inline codec_base_t *connection_codec(const connection_t *connection) { return RTYPEDDATA_DATA(connection->codec); }
static inline in_flight_t *connection_in_flight(const connection_t *connection) { return &connection_codec(connection)->in_flight; }

/* Whether C moves its bytes: then the wire is not needed for what each query goes through. */
static inline bool connection_is_native(const connection_t *connection) { return !NIL_P(connection->io); }

/* Whether what comes over it is encrypted. */
static inline bool connection_is_encrypted(const connection_t *connection) { return NIL_P(connection->io) || !NIL_P(connection->tls); }

/* Whether it has lived for long enough, or its server has another role than it had. */
static inline bool connection_is_old(const connection_t *connection, double now) {
    return now >= connection->expiry || connection_codec(connection)->role_changed;
}

/* A connection without waiters takes those of any scheduler: the first one's is the connection's. A forked child's copy takes none. Calls no
 * Ruby; callers that were dropped count until connection_forget_dropped. */
static inline bool connection_admits(const connection_t *connection, VALUE scheduler, bool pinned) {
    if (connection->generation != process_generation || connection->reserved != pinned) return false;
    return connection->active == 0 || connection->scheduler == scheduler;
}

/* Whether no caller is active, and none is about to end a request that it abandoned. */
static inline bool connection_is_deserted(const connection_t *connection) { return connection->active == 0 && connection->endings == 0; }

/* Whether another request may be sent. */
static inline bool connection_takes(const connection_t *connection, VALUE scheduler, bool pinned) {
    return !connection->shut && connection_admits(connection, scheduler, pinned);
}

/* Whether less is in flight than the limits of requests and bytes allow. */
static inline bool connection_has_room(const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    return in_flight->fifo.count < connection->most_requests && in_flight_bytes(in_flight) < connection->most_bytes;
}

/* Whether there is a leader, or one on its way: it flushes before it waits. */
static inline bool connection_is_led(const connection_t *connection) { return !NIL_P(connection->leader) || !NIL_P(connection->next_leader); }

/* Whether this request's waiter leads. One whose event loop dropped it has lost the lead by the time that it goes on. */
static inline bool connection_leads(const connection_t *connection, VALUE request) { return connection->leader == request; }

/* Whether the server works on a request that no caller waits for. */
static inline bool connection_has_abandoned_head(const connection_t *connection) {
    VALUE head = fifo_head(&connection_in_flight(connection)->fifo);
    return head != Qundef && !NIL_P(head) && request_of(head)->done;
}

/* The request's waiter is active from now on. False: the trunk is busy for callers of another scheduler, or reserved. */
bool connection_activate(connection_t *connection, request_t *request);

/* The same for a waiter whose request is in flight here already, also where the trunk has been reserved for another caller since. */
bool connection_activate_to_wait(connection_t *connection, request_t *request);

/* The request's waiter is active no more, if it was, and nothing is kept for it. */
void connection_deactivate(connection_t *connection, request_t *request);

/* An object of the class, which is defined in connection_state.c. */
VALUE connection_allocate(VALUE class);

#endif
