/* Trunkline::Postgres::Description: the columns of a result, and how their values are decoded. */
#ifndef TRUNKLINE_DESCRIPTION_H
#define TRUNKLINE_DESCRIPTION_H

#include <ruby.h>
#include <stdbool.h>
#include "../types/column_decoder.h"

typedef struct {
    VALUE columns;   /* frozen Array of frozen Strings */
    VALUE symbols;   /* frozen Array of the same as Symbols; nil before the first use */
    VALUE types;     /* frozen Array of type OIDs; nil before the first use */
    VALUE modifiers; /* frozen Array of type modifiers; nil before the first use */
    VALUE decoding;  /* how the caller wants types decoded, from Decoding.new; or nil */
    VALUE unknown;   /* Array of OIDs of types that Ruby has to look up, or nil */
    VALUE finishers; /* Array with a callable or nil for each column, which makes the final values in Ruby; or nil */
    VALUE annotation; /* what a user of results has stored for these columns; or nil */
    column_decoder_t *decoders;
    char *message;   /* copy of RowDescription's body, NULL where there was none */
    size_t message_length;
    uint16_t count;
    bool binary;     /* all columns can be decoded in binary format */
    bool calls_ruby; /* decoding calls methods in Ruby or makes Arrays, which may raise any error */
    bool plain;      /* the values that C decodes are final */
} description_t;

/* The struct of an object whose class is known: a method's receiver, or one that this library has stored itself. */
static inline description_t *description_of(VALUE self) { return RTYPEDDATA_DATA(self); }

/* Makes a description from RowDescription's body, with this decoding. Raises ProtocolError for malformed bytes. */
VALUE description_from_message(const char *body, size_t length, VALUE decoding);

/* Whether it was made from a message with these bytes. */
bool description_made_from(VALUE self, const char *body, size_t length);

/* The description of a statement without rows. */
VALUE description_empty(void);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_description(void);

#endif
