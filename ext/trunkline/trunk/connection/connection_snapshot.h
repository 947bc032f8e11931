#ifndef TRUNKLINE_CONNECTION_SNAPSHOT_H
#define TRUNKLINE_CONNECTION_SNAPSHOT_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_snapshot(void);

#endif
