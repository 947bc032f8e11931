/* The election of a connection's leader, the caller that reads for all: callers lead, are parked while another leads, and hand the lead over when
 * they leave. */
#ifndef TRUNKLINE_LEADER_ELECTION_H
#define TRUNKLINE_LEADER_ELECTION_H

#include "connection.h"

/* What a caller that waits for an answer does next. */
typedef enum {
    ELECTION_LEADS,    /* it reads for all: it was elected now, or before */
    ELECTION_PARKED,   /* it sleeps until it is woken */
    ELECTION_ANSWERED, /* its request is done */
} election_t;

/* What becomes of the lead when a caller leaves. */
typedef enum {
    SUCCESSION_LED,  /* there is a leader, or one on its way */
    SUCCESSION_NEXT, /* the waiter of connection->next_leader is to lead: it is parked no more, and is owed its wake-up */
    SUCCESSION_NONE, /* no caller is left to lead */
} succession_t;

/* The request's waiter leads, or is parked. Also on a trunk that has been reserved for another caller since: what it waits for is in flight here.
 * Calls Ruby before it changes anything. */
election_t connection_elect(connection_t *connection, VALUE request);

/* Until when a parked waiter may sleep: INFINITY where the leader looks at the clock for it. */
double connection_sleeps_until(const connection_t *connection, const request_t *request);

/* When the leader, which goes to sleep, looks at the clock at the latest; INFINITY: no waiter has a deadline, and silence is not looked into. */
double connection_begin_rest(connection_t *connection);

/* The leader is awake. Parked waiters whose deadlines have passed are pushed to the Array `woken`, and are owed a wake-up. May collect garbage. */
void connection_end_rest(connection_t *connection, VALUE woken);

/* The request's waiter resigns, if it leads or is to lead. */
succession_t connection_resign(connection_t *connection, VALUE request);

/* The request's waiter goes, for whatever reason: it is taken out of every list, and resigns. */
succession_t connection_leave(connection_t *connection, VALUE request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_leader_election(void);

#endif
