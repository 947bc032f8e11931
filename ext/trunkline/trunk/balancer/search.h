/* The search for the trunk that should take a request. */
#ifndef TRUNKLINE_SEARCH_H
#define TRUNKLINE_SEARCH_H

#include "dispatcher_state.h"

typedef struct {
    dispatcher_t *dispatcher;
    request_t *request;
    bool is_long;
    double now;
    long best;
    double least; /* seconds of the best one's backlog */
} search_t;

/* A search that has looked at nothing yet. Neither of the two may be freed meanwhile, and nothing here runs Ruby. */
search_t search_for(dispatcher_t *dispatcher, request_t *request);

/* A look at those that are likely to do, in constant time. There must be a trunk. */
void search_likely(search_t *search);

/* A look at all. */
void search_all(search_t *search);

/* A look at trunks with requests in flight whose answers no caller reads, for a caller that is to read there. */
void search_unread(search_t *search);

/* Whether there is one trunk only, and will be no other: then there is no choice. */
bool search_is_only(const search_t *search);

/* Whether a long request may take an idle trunk: the last one is kept for short ones. */
bool search_permits_long(const search_t *search);

/* Finds the idle trunk that was busy last: the others may become superfluous. */
bool search_idle(search_t *search);

/* Waiting callers that one change of the pool calls, at most. */
#define MOST_CALLED 1000

/* How many requests like this one the trunk could take now. */
size_t search_room_on(const search_t *search, connection_t *connection);

/* Whether the server is held up on every trunk, by a long request or by one that takes longer than expected. */
bool search_all_held_up(const search_t *search);

#endif
