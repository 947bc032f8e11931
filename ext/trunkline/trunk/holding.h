#ifndef TRUNKLINE_HOLDING_H
#define TRUNKLINE_HOLDING_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_holding(void);

#endif
