#ifndef TRUNKLINE_WAITER_H
#define TRUNKLINE_WAITER_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_waiter(void);

#endif
