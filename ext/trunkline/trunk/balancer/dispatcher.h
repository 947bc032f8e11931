/* Trunkline::Dispatcher: chooses the connection (trunk) that takes the next request. */
#ifndef TRUNKLINE_DISPATCHER_H
#define TRUNKLINE_DISPATCHER_H

#include "dispatcher_state.h"

/* The struct of any object. Raises TypeError when it is no Dispatcher. */
dispatcher_t *dispatcher_checked(VALUE object);

/* Whether the connection's expiry has passed, or it has been idle for as long as the server allows. */
bool dispatcher_finds_expired(const dispatcher_t *dispatcher, const connection_t *connection, double now);

/* Whether a connection beyond those that stay open has been idle for too long. */
bool dispatcher_has_superfluous(const dispatcher_t *dispatcher, double now);

/* A long request took that many seconds, of which up to `delay` may have been the client's own. */
void dispatcher_learn(const in_flight_t *in_flight, const request_t *request, double seconds, double delay, double now);

/* A short request was answered. */
void dispatcher_learn_of_short(const in_flight_t *in_flight);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_dispatcher(void);

#endif
