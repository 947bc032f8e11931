/* When a thread may be interrupted (Thread#raise, #kill, Timeout): the two masks for Thread.handle_interrupt, in C and in Ruby. */
#ifndef TRUNKLINE_INTERRUPTS_H
#define TRUNKLINE_INTERRUPTS_H

#include <ruby.h>

/* Runs the function, which gets the data as a block would, with interrupts masked except where the thread sleeps: all that changes state lies between
 * its sleeps. The second masks them there, too. Return what the function returns. Both call Ruby (Thread.handle_interrupt), which may raise an interrupt
 * that is pending at the end. */
VALUE interrupts_on_blocking(rb_block_call_func *function, VALUE data);
VALUE interrupts_never(rb_block_call_func *function, VALUE data);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_interrupts(void);

#endif
