/* What a caller gave, in messages. */
#ifndef TRUNKLINE_ARGUMENT_H
#define TRUNKLINE_ARGUMENT_H

#include <ruby.h>

/* What Argument.shown says of any object: a new String. Runs Ruby, the object's inspect among it; does not raise where that does. */
VALUE argument_shown(VALUE given);

#endif
