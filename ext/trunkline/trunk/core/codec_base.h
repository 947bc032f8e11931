/* What both protocols' codecs are: requests in flight, and bytes from the server and for it. */
#ifndef TRUNKLINE_CODEC_BASE_H
#define TRUNKLINE_CODEC_BASE_H

#include <ruby.h>
#include <stdbool.h>
#include "in_flight.h"

/* What differs: the Ruby methods of the same names. Where the last two are NULL, nothing can be cancelled. */
typedef struct {
    VALUE (*submit)(VALUE self, VALUE request);
    VALUE (*receive)(VALUE self, VALUE woken);
    VALUE (*aim)(VALUE self, VALUE request);
    bool (*repeatable)(VALUE request); /* when the server says that it has cancelled the statement, has it had no effect? */
} codec_protocol_t;

/* Every codec's struct begins with one. */
typedef struct {
    in_flight_t in_flight;
    const codec_protocol_t *protocol;
    VALUE input, output; /* Trunkline::Bytes */
    VALUE farewell;      /* the server's last message, which answers no request; or nil */
    uint64_t unbegun;    /* of what is appended from there on, the server has begun nothing: it has ended the connection before; UINT64_MAX else */
    bool closed;         /* takes no more requests */
    bool role_changed;   /* the server is a primary now and was a standby, or the other way round: the connection counts as old */
    bool interruptible;  /* the next receive pauses before what Ruby decodes: set for that one call, by a caller that may be interrupted there */
    bool paused;         /* the last receive did: whole messages are left, for which no socket becomes readable */
    bool trickles;       /* what was taken in last are small messages that the server sends one by one, and many came before */
} codec_base_t;

extern const rb_data_type_t codec_base_type; /* parent of every codec's type */
extern VALUE cTrunklineCodec;                /* superclass of every codec */

/* Of one that was just allocated, so that it can be marked. */
void codec_base_clear(codec_base_t *base, const codec_protocol_t *protocol);

/* Gives it its bytes. */
void codec_base_open(codec_base_t *base);

/* Bytes that are to be sent. */
size_t codec_base_unsent(const codec_base_t *base);

/* For the garbage collector: what embedding types call from their own mark and free functions. */
void codec_base_mark(const codec_base_t *base);
void codec_base_release(codec_base_t *base);

/* Bytes of memory beside the struct itself. */
size_t codec_base_memsize(const codec_base_t *base);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_codec(void);

#endif
