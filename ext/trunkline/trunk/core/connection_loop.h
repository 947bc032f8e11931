/* A caller's way over a connection, from entering to leaving. Of the callers that wait, one leads: flushes, reads, wakes; see Trunk for the rules.
 * What happens rarely, Ruby does: a method of the trunk is called for it. Each of these runs Ruby, and other fibers and threads where it waits. */
#ifndef TRUNKLINE_CONNECTION_LOOP_H
#define TRUNKLINE_CONNECTION_LOOP_H

#include "connection_io.h"

/* Sends the request and waits for its answer, or until its waiter's patience is over: it is in flight still then, for the caller to await or to end.
 * False: this connection could not take it, and the request is as it was. Raises what interrupts the caller, whose request is abandoned then. */
bool connection_loop_perform(connection_io_t *io);

/* Puts the request into the codec's output, and writes that where it is this caller's to write. The caller has entered. False: the connection
 * could not take the request: it may have been shut since the caller entered, or was found to have ended. */
bool connection_loop_submit(const connection_io_t *io);

/* Waits for the answer to a request that was submitted. False: its caller's time is over. */
bool connection_loop_attend(connection_io_t *io);

/* What a leader does over and over: flush, read, wake those that have their answers, or whose deadlines have passed; sleep when there is
 * nothing to read. */
void connection_loop_step(const connection_io_t *io);

/* Every waiter leaves through here, for whatever reason: the lead finds a next leader, and nothing is left unwritten. */
void connection_loop_leave(const connection_io_t *io);

/* Takes in what was read, and wakes those whose answers are complete. interruptible: the caller is a plain thread that may be interrupted; where
 * Ruby decodes a row it is masked then. True: a waiter was woken. */
bool connection_loop_take_in(const connection_io_t *io, bool interruptible);

/* Wakes the waiters that are owed it. */
void connection_loop_wake_all(const connection_t *connection);

/* Looks up what the loop calls in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_loop(void);

#endif
