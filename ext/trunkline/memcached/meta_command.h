/* Writes the commands of memcached's meta protocol.
 * https://github.com/memcached/memcached/blob/master/doc/protocol.txt, "Meta Commands"
 *
 * Each function appends one command, or returns false and leaves the buffer as it was when there is no memory. */
#ifndef TRUNKLINE_META_COMMAND_H
#define TRUNKLINE_META_COMMAND_H

#include <stdint.h>
#include "meta_text.h"
#include "../bytes/buffer.h"

#define META_LONGEST_KEY 250 /* bytes on the wire */

typedef struct {
    meta_text_t given; /* as in the protocol, each behind a blank; neither q nor O */
    uint32_t opaque;   /* O: comes back with the answer */
    bool quiet;        /* q: no answer to a miss, or to a store that was done */
} meta_flags_t;

/* Bytes of a key on the wire: a key with blanks, control characters or bytes beyond ASCII is sent as base64. */
size_t meta_key_size(meta_text_t key);

/* verb: the command's second letter, as in mg, md, ma. */
bool meta_write(buffer_t *output, char verb, meta_text_t key, const meta_flags_t *flags);

/* ms, with the client's own flags, and the block. */
bool meta_write_value(buffer_t *output, meta_text_t key, meta_text_t value, uint32_t client_flags,
                      const meta_flags_t *flags);

/* mn, which is answered when all before it has been. */
bool meta_write_noop(buffer_t *output);

/* A command that is nothing but a line. */
bool meta_write_line(buffer_t *output, meta_text_t line);

#endif
