/* Trunkline::HostChoice: chooses the host that takes the next request, where any of several may. Each host has its own connections, among which its
 * dispatcher chooses. */
#ifndef TRUNKLINE_HOST_CHOICE_H
#define TRUNKLINE_HOST_CHOICE_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_host_choice(void);

#endif
