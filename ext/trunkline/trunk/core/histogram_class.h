#ifndef TRUNKLINE_HISTOGRAM_CLASS_H
#define TRUNKLINE_HISTOGRAM_CLASS_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_histogram(void);

#endif
