/* Shows arguments of callers in error messages. */
#ifndef TRUNKLINE_ARGUMENT_H
#define TRUNKLINE_ARGUMENT_H

#include <ruby.h>

/* Argument.shown of any object: a new String. Runs Ruby, the object's inspect among it; does not raise if that does. */
VALUE argument_shown(VALUE given);

#endif
