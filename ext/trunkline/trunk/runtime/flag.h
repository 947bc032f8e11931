/* Trunkline::Flag: a boolean that its owner sets in Ruby, and that connections read in C without a call. It also marks what a caller uses while it
 * waits. A Mutex would be unsafe there: Ruby reads the memory of the fiber that has locked it when the Mutex is garbage-collected, and a dropped
 * fiber may have been freed before. */
#ifndef TRUNKLINE_FLAG_H
#define TRUNKLINE_FLAG_H

#include <ruby.h>
#include <stdbool.h>

typedef struct {
    bool on;
} flag_t;

/* The struct of any object, which owns it: its user marks the object. Raises TypeError when it is no Flag. */
const flag_t *flag_checked(VALUE object);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_flag(void);

#endif
