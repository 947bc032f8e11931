#ifndef TRUNKLINE_BLOCK_EXIT_H
#define TRUNKLINE_BLOCK_EXIT_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_block_exit(void);

#endif
