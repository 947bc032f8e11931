/* Parses the answers of memcached's meta protocol, and those of the few older commands beside it.
 * https://github.com/memcached/memcached/blob/master/doc/protocol.txt, "Meta Commands" */
#ifndef TRUNKLINE_META_ANSWER_H
#define TRUNKLINE_META_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include "meta_text.h"

/* Bytes of an answer's line, a bound: without a newline within so many the answer is malformed, and the client reads no further. memcached sends none beyond
 * its buffer of 1 or 2 KiB ("output line too long"); a key has 250 bytes, a statistic's name and value 128 each. */
#define META_LONGEST_LINE 8192

typedef enum {
    META_VALUE,      /* VA: a block follows */
    META_DONE,       /* HD */
    META_MISS,       /* EN */
    META_NOT_FOUND,  /* NF */
    META_NOT_STORED, /* NS */
    META_EXISTS,     /* EX: another client has changed the value */
    META_NOOP,       /* MN: everything before it has been answered */
    META_STATISTIC,  /* STAT */
    META_END,        /* END, of the statistics */
    META_OTHER,      /* OK, RESET, VERSION */
    META_ERROR,      /* ERROR, CLIENT_ERROR, SERVER_ERROR */
} meta_code_t;

typedef enum { META_WHOLE, META_PARTIAL, META_BROKEN, META_TOO_LONG } meta_status_t;

typedef struct {
    meta_code_t code;
    meta_text_t line;  /* without its end */
    meta_text_t value; /* of META_VALUE */
    uint32_t flags;    /* f: client flags, stored with the value */
    uint64_t cas;      /* c: which version of the value this is */
    uint32_t opaque;   /* O: the command's opaque */
    bool numbered;     /* has an opaque */
    bool won;          /* W: this caller has won the right to recompute the value */
    bool lost;         /* Z: another client has won that */
    bool stale;        /* X: the value is out of date */
    bool hit_before;   /* h: the value was read before */
    uint32_t last_access; /* l: seconds since then */
    int64_t remaining; /* t: seconds until it expires; -1: it does not */
    size_t size;       /* of the whole answer; with META_PARTIAL at least how many bytes it needs */
} meta_answer_t;

/* Parses the first answer. META_BROKEN: it is malformed. META_TOO_LONG: its value is longer than `limit`. */
meta_status_t meta_answer_read(const char *bytes, size_t count, size_t limit, meta_answer_t *answer);

#endif
