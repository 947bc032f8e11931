#ifndef TRUNKLINE_CONNECTION_LOOP_CLASS_H
#define TRUNKLINE_CONNECTION_LOOP_CLASS_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_loop_class(void);

#endif
