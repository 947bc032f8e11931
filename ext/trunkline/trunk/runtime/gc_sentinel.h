#ifndef TRUNKLINE_GC_SENTINEL_H
#define TRUNKLINE_GC_SENTINEL_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_gc_sentinel(void);

#endif
