/* Trunkline::Flag: a boolean of one owner, which turns it on and off in Ruby, and which the connections read in C without a call. It also tells
 * what a caller has in use while it waits, where a Mutex would be no good: Ruby reads the memory of the fiber that has locked one when that is collected
 * as garbage, and when the fiber was dropped and freed before it. */
#ifndef TRUNKLINE_FLAG_H
#define TRUNKLINE_FLAG_H

#include <ruby.h>
#include <stdbool.h>

typedef struct {
    bool on;
} flag_t;

/* Of what Ruby gives: raises TypeError when it is something else. The Ruby object owns it: its user marks that. */
const flag_t *flag_checked(VALUE object);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_flag(void);

#endif
