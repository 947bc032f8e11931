/* How a caller sends a request and waits for its answer. Of the callers that wait, one is the leader: it flushes, reads and wakes for all; see Trunk
 * for the rules. What happens rarely is done by methods of the trunk. Each function here runs Ruby, and other fibers and threads where it waits. */
#ifndef TRUNKLINE_CONNECTION_LOOP_H
#define TRUNKLINE_CONNECTION_LOOP_H

#include "connection_io.h"

/* Sends the request, and waits for its answer or until its waiter's time is over: it is still in flight then, for the caller to wait for or to end.
 * False: the connection did not take it, and the request is unchanged. Raises what interrupts the caller; the request is abandoned then. */
bool connection_loop_perform(connection_io_t *io);

/* Submits the request to the codec, and flushes unless another caller will. The caller has entered. False: the connection did not take the request:
 * it takes no new ones since the caller entered, or was found to have ended. */
bool connection_loop_submit(const connection_io_t *io);

/* Waits for the answer to a request that was submitted. False: its waiter's time is over. */
bool connection_loop_await_answer(connection_io_t *io);

/* One turn of the leader's loop: flush, read, wake the callers whose answers are complete or whose time is over; sleep when there is nothing to read. */
void connection_loop_step(const connection_io_t *io);

/* Ends a caller's use of the connection, for whatever reason: the next leader is elected, and no output is left without a caller that writes it. */
void connection_loop_leave(const connection_io_t *io);

/* Decodes the input, and wakes the callers whose answers are complete. interruptible: the caller is a plain thread whose interrupts are not masked;
 * they are masked where Ruby decodes a row. True: a waiter was woken. */
bool connection_loop_decode_input(const connection_io_t *io, bool interruptible);

/* Wakes the waiters that are owed a wake-up. */
void connection_loop_wake_all(const connection_t *connection);

/* Looks up what the loop calls in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_loop(void);

#endif
