#ifndef TRUNKLINE_READINESS_H
#define TRUNKLINE_READINESS_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_readiness(void);

#endif
