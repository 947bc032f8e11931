/* Whether a connection's trunk is shut. While the server is asked to cancel a request, that may hit whichever request it works on when the
 * cancel arrives. So nothing more is sent until a fence is answered, which goes behind all that may be hit.
 *
 *     open --begin--> cancelling --aim--> exposed --fence_off--> cancelling, fenced --finish--> fenced --lift--> open
 *
 * One caller at a time cancels. Its cancel is exposed from the moment it aims until a fence is in flight behind that: where the caller
 * goes meanwhile, the trunk stays shut for good. Every change is one C call that runs no Ruby, so the GVL makes it one step for
 * threads too; each looks again at what it depends on. */
#ifndef TRUNKLINE_CANCELLING_H
#define TRUNKLINE_CANCELLING_H

#include <ruby.h>
#include <stdbool.h>

typedef struct {
    VALUE canceller; /* the request whose waiter cancels, or nil */
    VALUE fence;     /* in flight, not answered when it was last looked at, or nil */
    double again;    /* when the leader looks whether what was given up has ended, on the one clock; INFINITY: it need not */
    bool exposed;    /* the server was asked to cancel, and no fence was submitted since */
    bool sealed;     /* takes no more requests, whether a cancel is under way or not: it ends when it is through */
} cancelling_t;

/* Of one that was just allocated. */
void cancelling_clear(cancelling_t *cancelling);

/* For the garbage collector, of its owner. */
void cancelling_mark(const cancelling_t *cancelling);

struct connection;

/* Opens the trunk, if the fence has been answered. */
void cancelling_lift(struct connection *connection);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_cancelling(void);

#endif
