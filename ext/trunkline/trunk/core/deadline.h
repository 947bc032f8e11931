/* Deadlines: points in time on the one clock, after which a caller waits no longer. INFINITY is never. */
#ifndef TRUNKLINE_DEADLINE_H
#define TRUNKLINE_DEADLINE_H

#include <math.h>
#include <ruby.h>

/* The one that holds for whatever the calling fiber or thread asks for. */
double deadline_present(void);

/* So many seconds from now. Raises TypeError or ArgumentError when that is no time to wait. */
double deadline_in(VALUE seconds);

/* As Ruby has it: a Float, or nil for never. */
static inline VALUE deadline_value(double deadline) { return isinf(deadline) ? Qnil : DBL2NUM(deadline); }

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_deadline(void);

#endif
