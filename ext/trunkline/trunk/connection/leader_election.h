/* The election of a connection's leader, the caller that reads for all. Callers lead, are parked while another leads, and hand the lead over when
 * they leave. */
#ifndef TRUNKLINE_LEADER_ELECTION_H
#define TRUNKLINE_LEADER_ELECTION_H

#include "connection.h"

/* What a caller that waits for an answer does next. */
typedef enum {
    ELECTION_LEADS,    /* it is the leader, elected now or before */
    ELECTION_PARKED,   /* it sleeps until it is woken */
    ELECTION_ANSWERED, /* its request is done */
} election_t;

/* Which caller leads after one has resigned. */
typedef enum {
    SUCCESSION_LED,  /* there is a leader, or one that was woken to lead */
    SUCCESSION_NEXT, /* the waiter of connection->next_leader was elected: it is no longer parked, and is owed its wake-up */
    SUCCESSION_NONE, /* no caller is left to lead */
} succession_t;

/* Makes the request's waiter the leader, or parks it. Also on a connection that has been reserved for another caller since: the request is in flight
 * here. Calls Ruby before it changes anything. */
election_t connection_elect(connection_t *connection, VALUE request);

/* Until when a parked waiter has to set its own timeout; INFINITY: the leader wakes it in time. */
double connection_sleeps_until(const connection_t *connection, const request_t *request);

/* Called as the leader goes to sleep. Returns until when it may sleep; INFINITY: no waiter has a deadline, and no probe is due. */
double connection_begin_sleep(connection_t *connection);

/* Called when the leader is awake. Pushes parked waiters whose time is over to the Array `woken`; they are owed a wake-up. May collect garbage. */
void connection_end_sleep(connection_t *connection, VALUE woken);

/* The request's waiter gives up the lead, if it leads or was woken to lead. */
succession_t connection_resign(connection_t *connection, VALUE request);

/* The request's waiter leaves, for whatever reason: it is removed from each list, and resigns. */
succession_t connection_leave(connection_t *connection, VALUE request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_leader_election(void);

#endif
