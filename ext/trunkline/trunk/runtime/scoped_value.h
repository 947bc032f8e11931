#ifndef TRUNKLINE_SCOPED_VALUE_H
#define TRUNKLINE_SCOPED_VALUE_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_scoped_value(void);

#endif
