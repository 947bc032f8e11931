/* The state of one connection, which Trunkline::ConnectionState owns: its active callers, their scheduler, the leader, which reads for all of them,
 * reservation, cancelling, and the limits of what may be in flight. */
#ifndef TRUNKLINE_CONNECTION_H
#define TRUNKLINE_CONNECTION_H

#include <ruby.h>
#include <stdbool.h>
#include "codec_base.h"
#include "../requests/in_flight.h"
#include "../runtime/flag.h"
#include "../requests/request.h"
#include "../../socket/process_generation.h"

/* Seconds of backlog for which no other connection is used. Beside reports of 5 ms, exponential, 330 a second, the short queries' p99 is 0.40 ms,
 * 0.42 with half and 0.46 with double: see bench/results/policy-profile.md. */
#define SHORT_BACKLOG 0.001

/* Why the connection takes no new requests because of a cancel. Only cancelling.c changes it: see cancelling.h. */
typedef struct {
    VALUE canceller; /* the request whose waiter sends the cancel request, or nil */
    VALUE fence;     /* the request behind all that the cancel may hit; not answered at the last check; or nil */
    double recheck_at; /* when the leader checks whether the abandoned head has ended, on the monotonic clock; INFINITY: never */
    bool exposed;    /* a cancel request was sent, and no fence has been submitted since */
    bool sealed;     /* takes no more requests for good, and is closed when all in flight is answered */
} cancelling_t;

/* How long the server has sent nothing while it owed an answer. Only silence.c changes it: see silence.h. */
typedef struct {
    double after;      /* seconds of silence after which the leader probes the server; INFINITY: it does not */
    double last_received; /* when the leader last went to sleep after bytes had arrived */
    double no_probe_before; /* no probe before, as the last one showed that the server is there; 0: there was none */
    uint64_t reads;    /* Bytes#transfers of the input at that time */
} silence_t;

/* How long the connection's callers have not run although one of them had something to do. Only stall.c changes it: see stall.h. */
typedef struct {
    VALUE displaced;    /* the request whose waiter slept as the leader when another caller took the lead over, while it still sleeps; or nil */
    double checked_at;  /* the last check, on the monotonic clock; 0: it found no stall */
    double seconds;     /* of the stall, as far as the checks have seen it */
    uint64_t transfers; /* reads and writes of the connection at the last check */
    VALUE elected;      /* the next leader at the last check, only to be compared; nil: there was none */
    double elected_at;  /* when a check saw it first, on the monotonic clock */
    double wakes_by;    /* when an active caller that waits for something else wakes at the latest, on the monotonic clock; INFINITY: none has told */
} stall_t;

/* The waiter of this request, which slept as the leader, is awake: if it was displaced, it sleeps no longer. */
static inline void stall_note_awake(stall_t *stall, VALUE request) {
    if (stall->displaced == request) stall->displaced = Qnil;
}

typedef struct connection {
    VALUE codec;      /* owns the requests in flight */
    VALUE wire;       /* between the codec and the server */
    VALUE io;         /* the socket's IO, which C reads, writes and waits for; nil: the wire does that in Ruby */
    VALUE tls;        /* the TLSSession that encrypts what C reads and writes; or nil */
    VALUE callers_waiting_flag; /* owns the next */
    const flag_t *callers_waiting; /* on while callers wait for a connection of the pool; NULL: there is no pool */
    VALUE woken;      /* an Array of requests whose waiters are owed a wake-up */
    request_t parked; /* the ring's anchor: parked.newer is the oldest, parked.older the newest */
    VALUE scheduler;  /* of all active callers; nil without any, so that an event loop that has ended can be collected together with its fibers */
    VALUE thread;     /* the scheduler's thread; nil where the scheduler is */
    VALUE leader;     /* the request whose waiter reads for all, or nil */
    VALUE next_leader; /* the request whose waiter was woken to lead and has not run yet, or nil */
    double earliest_timeout; /* no waiter's time to wait ends before */
    double leader_sleeps_until; /* until when the leader sleeps at most; -INFINITY: it is awake */
    size_t active;
    size_t endings;    /* callers that are ending a request that they abandoned here, active or not */
    unsigned int generation;
    int descriptor;   /* the socket's, to poll for input; -1: not known */
    uint64_t unread;  /* Bytes#transfers of the input when unread bytes were seen in the socket: they are there until that changes */
    bool reserved;    /* takes pinned requests only */
    bool callers_dropped; /* since it was reserved, its callers were forgotten because their event loop has ended: so the session's owner is gone */
    bool lost;        /* the connection has ended, and what was in flight has failed */
    bool shut;        /* takes no new requests; only cancelling.c changes it */
    cancelling_t cancelling;
    silence_t silence;
    stall_t stall;
    bool leader_asleep; /* the leader waits for the socket */
    double busy_since; /* since when the leader has neither waited nor let other fibers and threads run; 0: it has, and has read nothing since */
    bool checking_alive; /* a caller checks whether the idle connection is alive: nothing is written until it has */
    bool leader_yielding; /* the leader lets other fibers run before it reads on */
    bool flusher_yielding; /* a caller lets other fibers run before it flushes the output for all */
    bool no_answer_yet; /* the only request in flight was written just now, so no answer can have come yet */
    size_t max_requests;  /* requests in flight from which on it is not chosen */
    uint64_t max_bytes;   /* bytes in flight from which on it is not chosen */
    double expiry;        /* when it counts as too old to be chosen, on the monotonic clock */
} connection_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline connection_t *connection_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* The struct of any object. Raises TypeError when it is no ConnectionState. */
connection_t *connection_checked(VALUE object);

/* Its codec's base, and the requests in flight there. */
static inline codec_base_t *connection_codec(const connection_t *connection) { return RTYPEDDATA_DATA(connection->codec); }
static inline in_flight_t *connection_in_flight(const connection_t *connection) { return &connection_codec(connection)->in_flight; }

/* Whether C reads and writes the socket itself: then a query does not call the wire. */
static inline bool connection_is_native(const connection_t *connection) { return !NIL_P(connection->io); }

/* Whether the connection is encrypted, or may be because a wire in Ruby reads and writes it. */
static inline bool connection_is_encrypted(const connection_t *connection) { return NIL_P(connection->io) || !NIL_P(connection->tls); }

/* Whether its expiry has passed, or its server has changed its role (primary, standby) since it was opened. */
static inline bool connection_is_old(const connection_t *connection, double now) {
    return now >= connection->expiry || connection_codec(connection)->role_changed;
}

/* Whether a caller of this scheduler may become active. A connection without active callers takes those of any scheduler, and belongs to the first
 * one's. In a forked child it takes none. Calls no Ruby; dropped callers count until connection_forget_dropped. */
static inline bool connection_admits(const connection_t *connection, VALUE scheduler, bool pinned) {
    if (connection->generation != process_generation || connection->reserved != pinned) return false;
    return connection->active == 0 || connection->scheduler == scheduler;
}

/* Whether no caller is active, and none is ending a request that it abandoned. */
static inline bool connection_is_deserted(const connection_t *connection) { return connection->active == 0 && connection->endings == 0; }

/* Whether a caller of this scheduler may send another request. */
static inline bool connection_takes(const connection_t *connection, VALUE scheduler, bool pinned) {
    return !connection->shut && connection_admits(connection, scheduler, pinned);
}

/* Whether less is in flight than the limits of requests and bytes allow. */
static inline bool connection_has_room(const connection_t *connection) {
    const in_flight_t *in_flight = connection_in_flight(connection);
    return in_flight->fifo.count < connection->max_requests && in_flight_bytes(in_flight) < connection->max_bytes;
}

/* Whether there is a leader, or one that was woken and has not run yet: it flushes before it waits. */
static inline bool connection_is_led(const connection_t *connection) { return !NIL_P(connection->leader) || !NIL_P(connection->next_leader); }

/* Whether this request's waiter is the leader. A waiter whose event loop was dropped has lost the lead by the time that it runs again. */
static inline bool connection_leads(const connection_t *connection, VALUE request) { return connection->leader == request; }

/* Whether the server works on a request that no caller waits for. */
static inline bool connection_has_abandoned_head(const connection_t *connection) {
    const request_t *head = fifo_head_request(&connection_in_flight(connection)->fifo);
    return head && head->done;
}

/* Whether no caller may still wait for the answer to anything in flight. */
static inline bool connection_is_settled(const connection_t *connection) {
    const fifo_t *in_flight = &connection_in_flight(connection)->fifo;
    for (size_t at = 0; at < in_flight->count; at++) {
        VALUE request = fifo_at(in_flight, at);
        if (!NIL_P(request) && !request_of(request)->done) return false;
    }
    return true;
}

/* Makes the request's waiter active. False: callers of another scheduler are active, or the connection is reserved. */
bool connection_activate(connection_t *connection, request_t *request);

/* The same for a waiter whose request is already in flight here, even if the connection has been reserved for another caller since. */
bool connection_activate_to_wait(connection_t *connection, request_t *request);

/* Ends the waiter's activity, if it was active, and with it the reservation of an idle connection for it. */
void connection_deactivate(connection_t *connection, request_t *request);

/* Allocates an object of the class, which connection_state.c defines. */
VALUE connection_allocate(VALUE class);

#endif
