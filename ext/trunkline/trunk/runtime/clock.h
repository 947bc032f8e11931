/* The monotonic clock of the C code: deadlines, estimates and idle times are points on it. */
#ifndef TRUNKLINE_CLOCK_H
#define TRUNKLINE_CLOCK_H

/* The time now, in seconds. */
double clock_now(void);

/* The time of the last call of clock_now, without a system call. */
double clock_latest(void);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_clock(void);

#endif
