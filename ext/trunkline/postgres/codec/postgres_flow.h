#ifndef TRUNKLINE_POSTGRES_FLOW_H
#define TRUNKLINE_POSTGRES_FLOW_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_flow(void);

#endif
