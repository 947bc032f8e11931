#ifndef TRUNKLINE_DECODE_NUMERIC_H
#define TRUNKLINE_DECODE_NUMERIC_H

/* Looks up the classes and names of methods that its decoders use; called once, as the extension is loaded. */
void Init_trunkline_decode_numeric(void);

#endif
