#ifndef TRUNKLINE_ROW_HASHES_H
#define TRUNKLINE_ROW_HASHES_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_row_hashes(void);

#endif
