#ifndef TRUNKLINE_HISTOGRAM_CLASS_H
#define TRUNKLINE_HISTOGRAM_CLASS_H

#include <ruby.h>

/* An empty one. */
VALUE histogram_create(void);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_histogram(void);

#endif
