/* Trunkline::Bytes: a buffer that Ruby can hold, fill from a descriptor or a String, and empty into a descriptor. */
#ifndef TRUNKLINE_BYTES_CLASS_H
#define TRUNKLINE_BYTES_CLASS_H

#include <ruby.h>
#include "../bytes/buffer.h"

extern VALUE cTrunklineBytes;

buffer_t *bytes_buffer(VALUE bytes);

/* What is there was taken in: memory that one long message needed is given back. */
void bytes_settle(VALUE bytes);

#endif
