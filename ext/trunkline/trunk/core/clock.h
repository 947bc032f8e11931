/* The one clock of the C code: deadlines, expected work and idle times are points on it. */
#ifndef TRUNKLINE_CLOCK_H
#define TRUNKLINE_CLOCK_H

/* Seconds on a clock that never goes back. */
double clock_now(void);

/* What it said when it was last looked at. */
double clock_latest(void);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_clock(void);

#endif
