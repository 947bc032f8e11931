/* Deadlines: times on the monotonic clock after which a caller does not wait. INFINITY is never. */
#ifndef TRUNKLINE_DEADLINE_H
#define TRUNKLINE_DEADLINE_H

#include <math.h>
#include <ruby.h>

/* The deadline that is set for all requests of the calling fiber or thread; INFINITY: none is. */
double deadline_present(void);

/* The deadline so many seconds from now. Raises ArgumentError when `seconds` is no number from 0. May run Ruby: Numeric#to_f. */
double deadline_in(VALUE seconds);

/* In Ruby: a Float, or nil for never. */
static inline VALUE deadline_value(double deadline) { return isinf(deadline) ? Qnil : DBL2NUM(deadline); }

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_deadline(void);

#endif
