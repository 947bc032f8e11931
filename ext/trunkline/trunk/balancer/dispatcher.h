/* Trunkline::Dispatcher: chooses the connection (trunk) that takes the next request. */
#ifndef TRUNKLINE_DISPATCHER_H
#define TRUNKLINE_DISPATCHER_H

#include "dispatcher_state.h"

/* The struct of any object. Raises TypeError when it is no Dispatcher. */
dispatcher_t *dispatcher_checked(VALUE object);

/* A long request took that many seconds, of which up to `delay` may have been the client's own. */
void dispatcher_learn(const in_flight_t *in_flight, const request_t *request, double seconds, double delay, double now);

/* A short request was answered. */
void dispatcher_learn_of_short(const in_flight_t *in_flight);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_dispatcher(void);

#endif
