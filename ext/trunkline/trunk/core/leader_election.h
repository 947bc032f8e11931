#ifndef TRUNKLINE_LEADER_ELECTION_H
#define TRUNKLINE_LEADER_ELECTION_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_leader_election(void);

#endif
