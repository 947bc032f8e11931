#ifndef TRUNKLINE_SCRIPT_DECODING_H
#define TRUNKLINE_SCRIPT_DECODING_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_script_decoding(void);

#endif
