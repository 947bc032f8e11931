/* Trunkline::Postgres::Description: the columns of a result, and how each becomes a Ruby value. */
#ifndef TRUNKLINE_DESCRIPTION_H
#define TRUNKLINE_DESCRIPTION_H

#include <ruby.h>
#include <stdbool.h>
#include "../types/catalogue.h"

typedef struct {
    VALUE columns;   /* frozen Array of frozen Strings */
    VALUE symbols;   /* frozen Array of the same as Symbols, or nil until it is asked for */
    VALUE types;     /* frozen Array of type OIDs, or nil until it is asked for */
    VALUE modifiers; /* frozen Array of type modifiers, or nil until it is asked for */
    VALUE decoding;  /* how the caller wants types decoded: what Decoding.new returns, or nil */
    VALUE unknown;   /* Array of the OIDs whose values are the server's text, or nil */
    VALUE finishers; /* what Ruby does to some columns afterwards, or nil */
    VALUE annotation; /* what a reader of results has made of the columns, to find it again; or nil */
    column_decoder_t *decoders;
    char *message;   /* copy of RowDescription's body, NULL where there was none */
    size_t message_length;
    uint16_t count;
    bool binary;     /* every column can be asked for in binary format */
    bool calls_ruby; /* of some value a class of Ruby's makes the object, or an Array is made: that may raise any error */
    bool plain;      /* C's values are the final ones */
} description_t;

/* Of an object that is known to be one: a method's receiver, or what this library itself has put somewhere. */
static inline description_t *description_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Makes one from RowDescription's body, whose types are decoded as `decoding` says. Raises ProtocolError when the bytes make no sense. */
VALUE description_from_message(const char *body, size_t length, VALUE decoding);

/* Whether it was made from a message of these bytes. */
bool description_made_from(VALUE self, const char *body, size_t length);

/* What a statement without rows has. */
VALUE description_empty(void);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_description(void);

#endif
