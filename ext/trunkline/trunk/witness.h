#ifndef TRUNKLINE_WITNESS_H
#define TRUNKLINE_WITNESS_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_witness(void);

#endif
