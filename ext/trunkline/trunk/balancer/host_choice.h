/* Trunkline::HostChoice: which of several hosts takes the next request, where any of them may. Each has connections of its own, among which its
 * dispatcher chooses. */
#ifndef TRUNKLINE_HOST_CHOICE_H
#define TRUNKLINE_HOST_CHOICE_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_host_choice(void);

#endif
