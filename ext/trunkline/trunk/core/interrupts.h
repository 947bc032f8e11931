/* When a thread may be interrupted (Thread#raise, #kill, Timeout): the two masks of the house, for C and for Ruby. */
#ifndef TRUNKLINE_INTERRUPTS_H
#define TRUNKLINE_INTERRUPTS_H

#include <ruby.h>

/* Each runs the function, which gets the data as a block would. Nowhere but where it sleeps: all that changes state lies between
 * its sleeps. */
VALUE interrupts_where_it_sleeps(rb_block_call_func *function, VALUE data);

VALUE interrupts_never(rb_block_call_func *function, VALUE data);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_interrupts(void);

#endif
