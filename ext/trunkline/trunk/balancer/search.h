/* The search for the connection that should take a request. */
#ifndef TRUNKLINE_SEARCH_H
#define TRUNKLINE_SEARCH_H

#include "dispatcher_state.h"

typedef struct {
    dispatcher_t *dispatcher;
    request_t *request;
    bool is_long;
    double now;
    long best;
    double least; /* the best one's backlog in seconds */
} search_t;

/* A new search. Neither the dispatcher nor the request may be freed meanwhile, and nothing here runs Ruby. */
search_t search_for(dispatcher_t *dispatcher, request_t *request);

/* Considers the connections that are likely to be suitable, in constant time. There must be a connection. */
void search_likely(search_t *search);

/* Considers all connections. */
void search_all(search_t *search);

/* Considers connections whose answers no caller reads, for a caller that would read there. */
void search_unread(search_t *search);

/* Whether there is only one connection, and no other will be opened: then there is no choice. */
bool search_is_only(const search_t *search);

/* Whether a long request may take an idle connection: the concurrency limit allows it, and one is left for short ones. */
bool search_permits_long(const search_t *search);

/* Chooses the idle connection that was busy last, so that the others may become superfluous. */
bool search_idle(search_t *search);

/* How many requests like this one the connection could take now; not more than `most`, which is positive. */
size_t search_room_on(const search_t *search, connection_t *connection, size_t most);

/* Whether each connection is blocked by a long request, or by one that exceeds its estimate. */
bool search_all_blocked(const search_t *search);

#endif
