/* Why a connection takes no new requests. A cancel request may hit whichever request the server works on when it arrives. So nothing more is sent
 * until a fence is answered, a request behind all that may be hit.
 *
 * open --begin--> cancelling --aim--> exposed --fence_off--> cancelling, fenced --finish--> fenced --lift--> open
 *
 * One caller at a time cancels. The connection is exposed from aim until a fence is in flight: if the caller is interrupted meanwhile, the connection
 * is sealed, and stays shut for good; what is in flight may still be cancelled. Every change is one C call that runs no Ruby, so the GVL makes it one
 * step for threads too; each call checks its conditions anew. */
#ifndef TRUNKLINE_CANCELLING_H
#define TRUNKLINE_CANCELLING_H

#include "connection.h"

/* Reopens the connection, if the fence has been answered. */
void cancelling_lift(connection_t *connection);

/* The connection has ended, and refers to no caller that cancels: its event loop may have dropped it. Such a caller finds that it cancels no longer. */
void cancelling_end(connection_t *connection);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_cancelling(void);

#endif
