/* For how long the server of a connection has said nothing while it owed an answer, and when that is to be looked into: part of
 * Trunkline::ConnectionState. Where it is not looked into, `after` is INFINITY, and nothing here looks at the clock. */
#ifndef TRUNKLINE_SILENCE_H
#define TRUNKLINE_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

struct connection;

typedef struct {
    double after;      /* seconds of silence that are looked into */
    double heard;      /* when the leader last went to sleep after something had come */
    double excused;    /* not before, as the server has shown meanwhile that it is there; 0: it has not */
    uint64_t reads;    /* what Bytes#transfers said of the input then */
} silence_t;

/* Of one that was just allocated: nothing is looked into. */
void silence_clear(silence_t *silence);

/* When the silence is looked into, on the one clock; INFINITY: never. Called as the leader goes to sleep. */
double silence_due(struct connection *connection);

/* Whether it is time to look into it. */
bool silence_is_due(struct connection *connection);

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_silence(void);

#endif
