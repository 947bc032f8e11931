/* What one connection to a memcached server is in the middle of. */
#ifndef TRUNKLINE_PIPELINE_H
#define TRUNKLINE_PIPELINE_H

#include <ruby.h>
#include "../trunk/core/codec_base.h"

typedef struct {
    codec_base_t base;  /* its farewell is a line */
    size_t value_limit; /* bytes */
    uint64_t answers;   /* so far, each of many counted */
    uint32_t next_opaque;   /* number of the next command */
    bool misses_numbered;   /* the server sends the number with EN too */
} pipeline_t;

/* Appends the request's commands to the output and the request to the FIFO; or raises, and nothing has changed.
 * False: the pipeline is closed. */
bool pipeline_submit(pipeline_t *pipeline, VALUE request);

/* Takes a request back of which no byte has been sent. False: it was, or is not in flight. */
bool pipeline_withdraw(pipeline_t *pipeline, VALUE request, VALUE failure);

/* Takes in what the input holds; pushes requests to the Array `woken` whose waiters are owed a wake-up. */
void pipeline_receive(pipeline_t *pipeline, VALUE woken);

#endif
