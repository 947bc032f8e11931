#ifndef TRUNKLINE_TIME_READER_H
#define TRUNKLINE_TIME_READER_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_time_reader(void);

#endif
