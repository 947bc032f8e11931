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

#include "connection.h"

/* Opens the trunk, if the fence has been answered. */
void cancelling_lift(connection_t *connection);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_cancelling(void);

#endif
