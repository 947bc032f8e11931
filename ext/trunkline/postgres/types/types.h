/* Functions in Ruby that decode by the built-in types. */
#ifndef TRUNKLINE_POSTGRES_TYPES_H
#define TRUNKLINE_POSTGRES_TYPES_H

#include <ruby.h>

/* Defines the functions in Ruby; called once, as the extension is loaded, after what decodes. */
void Init_trunkline_types(VALUE mTrunklinePostgres);

#endif
