/* For how long the callers of a connection have not done what is theirs to do next: part of Trunkline::ConnectionState. Their event loop is blocked
 * then, or was dropped in a thread that lives on, which no other thread can find out. Nothing here is on a query's way. */
#ifndef TRUNKLINE_STALL_H
#define TRUNKLINE_STALL_H

#include "connection.h"

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_stall(void);

#endif
