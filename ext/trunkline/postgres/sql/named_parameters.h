#ifndef TRUNKLINE_NAMED_PARAMETERS_H
#define TRUNKLINE_NAMED_PARAMETERS_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_named_parameters(void);

#endif
