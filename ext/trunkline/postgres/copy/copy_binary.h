#ifndef TRUNKLINE_COPY_BINARY_H
#define TRUNKLINE_COPY_BINARY_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_copy_binary(void);

#endif
