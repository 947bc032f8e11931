/* The state of one connection to a memcached server. */
#ifndef TRUNKLINE_PIPELINE_H
#define TRUNKLINE_PIPELINE_H

#include <ruby.h>
#include "../trunk/connection/codec_base.h"

typedef struct {
    codec_base_t base;  /* its closing_error is an error line */
    size_t value_limit; /* bytes */
    uint64_t answers;   /* received so far, each of many counted */
    uint32_t next_opaque;   /* opaque of the next command */
    bool misses_numbered;   /* the server sends the opaque with EN, too */
} pipeline_t;

/* Appends the request's commands to the output and the request to the FIFO; or raises, and nothing has changed.
 * False: the pipeline is closed. */
bool pipeline_submit(pipeline_t *pipeline, VALUE request);

/* Takes back a request of which no byte was sent. False: bytes were sent, or it is not in flight. */
bool pipeline_withdraw(pipeline_t *pipeline, VALUE request, VALUE failure);

/* Decodes the input; pushes requests whose waiters are owed a wake-up to the Array `woken`. */
void pipeline_receive(pipeline_t *pipeline, VALUE woken);

#endif
