/* Spare connections, which a Dispatcher's pool keeps for callers that reserve one: taken and put aside in one step. */
#ifndef TRUNKLINE_SPARES_H
#define TRUNKLINE_SPARES_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_spares(void);

#endif
