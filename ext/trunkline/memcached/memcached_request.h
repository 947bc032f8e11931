/* Trunkline::Memcached::Request: a request to a memcached server, and its answer. */
#ifndef TRUNKLINE_MEMCACHED_REQUEST_H
#define TRUNKLINE_MEMCACHED_REQUEST_H

#include "meta_answer.h"
#include "meta_command.h"
#include "../trunk/requests/request.h"

typedef enum {
    KIND_GET,       /* mg */
    KIND_STORE,     /* ms */
    KIND_DELETE,    /* md */
    KIND_COUNT,     /* ma */
    KIND_LINE,      /* a line, whose answer is one line */
    KIND_STATISTICS, /* a line, whose answer is many */
} memcached_kind_t;

#define META_VERBS "gsda" /* the second letter of each command, in the order of the kinds */

typedef struct {
    request_t base;
    VALUE key;            /* String, or Array of them; of a line: its text */
    VALUE value;          /* to store: String, or Array of value, client flags, value, client flags... */
    VALUE flags;          /* String of the protocol's flags, without q and O; of a line: the beginning of its answer */
    VALUE names;          /* of many gets: Array of the caller's names for the keys, in their order */
    VALUE answer;         /* the value's String; of many gets: Array of values in the keys' order, with nil for those without; of statistics: Hash by name */
    VALUE coded;          /* of many gets: Array of the values' client flags, in the same order, if any value has some; or nil */
    VALUE versions;       /* of many gets: Array of the values' versions, in the same order, where these were requested; or nil */
    VALUE error;          /* the line that the server refused with, or nil */
    uint64_t cas;         /* version of the value */
    uint32_t client_flags; /* of the value to store */
    uint32_t answer_flags; /* of the value that came */
    uint32_t done_count;  /* of many: how many were executed (HD) */
    uint64_t answers_before; /* answers that the connection had received when it was sent */
    uint32_t opaque;      /* opaque of its command; of many: of the first one, and those of the others follow */
    uint32_t next;        /* of many: the index of the first key whose answer may still come */
    memcached_kind_t kind;
    meta_code_t code;     /* of the last answer */
    bool many;
    bool won, lost, stale, hit_before;
    uint32_t last_access; /* seconds */
    int64_t remaining;    /* seconds until the value expires; -1: it does not */
} memcached_request_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline memcached_request_t *memcached_request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* The number of its commands that have an opaque. */
static inline uint32_t memcached_request_size(const memcached_request_t *request) {
    return request->many ? (uint32_t)RARRAY_LEN(request->key) : 1;
}

/* The struct of any object. Raises TypeError when it is no Memcached::Request. */
memcached_request_t *memcached_request_checked(VALUE object);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_memcached_request(void);

#endif
