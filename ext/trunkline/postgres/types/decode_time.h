#ifndef TRUNKLINE_DECODE_TIME_H
#define TRUNKLINE_DECODE_TIME_H

/* Looks up the classes and names of methods that its decoders use; called once, as the extension is loaded. */
void Init_trunkline_decode_time(void);

#endif
