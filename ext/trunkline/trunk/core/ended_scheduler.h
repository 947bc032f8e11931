#ifndef TRUNKLINE_ENDED_SCHEDULER_H
#define TRUNKLINE_ENDED_SCHEDULER_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_ended_scheduler(void);

#endif
