#ifndef TRUNKLINE_ANSWER_END_H
#define TRUNKLINE_ANSWER_END_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_answer_end(void);

#endif
