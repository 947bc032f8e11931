#ifndef TRUNKLINE_LOAD_H
#define TRUNKLINE_LOAD_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_load(void);

#endif
