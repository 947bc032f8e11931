/* Trunkline::Memcached::Request: what is asked of a memcached server, and what it answered. */
#ifndef TRUNKLINE_MEMCACHED_REQUEST_H
#define TRUNKLINE_MEMCACHED_REQUEST_H

#include "meta_answer.h"
#include "meta_command.h"
#include "../trunk/core/request.h"

typedef enum {
    ASK_GET,        /* mg */
    ASK_STORE,      /* ms */
    ASK_DELETE,     /* md */
    ASK_COUNT,      /* ma */
    ASK_LINE,       /* a line, answered by one */
    ASK_STATISTICS, /* a line, answered by many */
} memcached_kind_t;

#define META_VERBS "gsda" /* what follows the m of each, in their order */

typedef struct {
    request_t base;
    VALUE key;            /* String, or Array of them; of a line: what it says */
    VALUE value;          /* to store: String, or Array of value, client flags, value, client flags... */
    VALUE flags;          /* String, as the protocol has them, but for q and O; of a line: what its answer begins with */
    VALUE names;          /* of many gets: what the caller calls the keys, Array in their order */
    VALUE answer;         /* the value's String; of many gets: Array of values in the keys' order, with nil for those without; of statistics: Hash by name */
    VALUE coded;          /* of many gets: Array in the same order of client flags, of the values that have flags; or nil */
    VALUE versions;       /* of many gets: Array in the same order of versions, where that was asked; or nil */
    VALUE error;          /* the line that the server refused with, or nil */
    uint64_t cas;         /* version of the value */
    uint32_t client_flags; /* of the value to store */
    uint32_t answer_flags; /* of the value that came */
    uint32_t done_count;  /* of many: how many were done */
    uint64_t before;      /* answers that had come when it was sent */
    uint32_t opaque;      /* number of its command; of many: of the first one, and the others follow */
    uint32_t next;        /* of many: the index of the first key whose answer may still come */
    memcached_kind_t kind;
    meta_code_t code;     /* of the last answer */
    bool many;
    bool won, lost, stale, hit_before;
    uint32_t last_access; /* seconds */
    int64_t remaining;    /* seconds; -1: for ever */
} memcached_request_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline memcached_request_t *memcached_request_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Commands with a number of their own. */
static inline uint32_t memcached_request_size(const memcached_request_t *request) {
    return request->many ? (uint32_t)RARRAY_LEN(request->key) : 1;
}

/* Of what a caller gives: raises TypeError when it is something else. */
memcached_request_t *memcached_request_checked(VALUE object);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_memcached_request(void);

#endif
