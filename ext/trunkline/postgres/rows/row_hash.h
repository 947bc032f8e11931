/* A row as a Hash. */
#ifndef TRUNKLINE_ROW_HASH_H
#define TRUNKLINE_ROW_HASH_H

#include <ruby.h>

/* The values of the row, an Array, by the names, an Array of frozen Strings or Symbols; nil where the row is shorter. */
VALUE row_hash(VALUE names, VALUE row);

#endif
