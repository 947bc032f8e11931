/* For how long the callers of a connection have not run although one of them had something to do: part of Trunkline::ConnectionState. Their event
 * loop is blocked then, or was dropped in a thread that still runs, which no other thread can tell apart. No query calls anything here. */
#ifndef TRUNKLINE_STALL_H
#define TRUNKLINE_STALL_H

#include "connection.h"

/* Defines methods of ConnectionState in Ruby; called once, after that is defined. */
void Init_trunkline_stall(void);

#endif
