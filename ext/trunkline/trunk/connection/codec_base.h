/* The base of both protocols' codecs: requests in flight, and the bytes from the server and for it. */
#ifndef TRUNKLINE_CODEC_BASE_H
#define TRUNKLINE_CODEC_BASE_H

#include <ruby.h>
#include <stdbool.h>
#include "../requests/in_flight.h"

/* The functions in which the protocols differ, the Ruby methods of the same names. Where the last two are NULL, the protocol cannot cancel. */
typedef struct {
    VALUE (*submit)(VALUE self, VALUE request);
    VALUE (*receive)(VALUE self, VALUE woken);
    VALUE (*aim)(VALUE self, VALUE request);
    bool (*repeatable)(VALUE request); /* has the statement had no effect when the server says that it has cancelled it? */
} codec_protocol_t;

/* Each codec's struct begins with one. */
typedef struct {
    in_flight_t in_flight;
    const codec_protocol_t *protocol;
    VALUE input, output; /* Trunkline::Bytes */
    VALUE closing_error; /* the message with which the server ends the session, an answer to no request; or nil */
    uint64_t not_begun_from; /* the server has ended the session before it began with requests from this offset on; UINT64_MAX: it has not said so */
    bool closed;         /* takes no more requests */
    bool role_changed;   /* the server was promoted or demoted since the connection was opened, so the connection counts as old */
    bool interruptible;  /* the next receive pauses before a value that Ruby decodes; set for that one call by a caller that may be interrupted there */
    bool paused;         /* the last receive paused: whole messages are left in the input, for which the socket does not become readable */
    bool floods;         /* the server has sent many small messages in a row */
    bool trickles;       /* it sends them one by one, so it pays to read several at once */
} codec_base_t;

extern const rb_data_type_t codec_base_type; /* parent of each codec's type */
extern VALUE cTrunklineCodec;                /* superclass of each codec */

/* Initialises a newly allocated codec, so that it can be marked. */
void codec_base_clear(codec_base_t *base, const codec_protocol_t *protocol);

/* Makes its input and output buffers, two Bytes, which codec_base_mark marks. */
void codec_base_open(codec_base_t *base);

/* Bytes of output that are not sent yet. */
size_t codec_base_unsent(const codec_base_t *base);

/* For the garbage collector: what embedding types call from their own mark and free functions. */
void codec_base_mark(const codec_base_t *base);
void codec_base_release(codec_base_t *base);

/* Bytes of memory beside the struct itself. */
size_t codec_base_memsize(const codec_base_t *base);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_codec(void);

#endif
