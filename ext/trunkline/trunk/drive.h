/* A caller's way over a trunk: what it is, how rare things are left to Ruby, and the bytes. */
#ifndef TRUNKLINE_DRIVE_H
#define TRUNKLINE_DRIVE_H

#include <ruby.h>
#include <stdbool.h>
#include "crew.h"
#include "../socket/socket.h"

typedef struct {
    VALUE trunk;
    VALUE object; /* the request; nil where it does not matter whose way it is */
    VALUE crew_object;
    crew_t *crew;
    request_t *request;
    bool exposed; /* to interrupts: a plain thread, whose caller has not seen to it that there are none */
    bool taken, answered, through;
} drive_t;

drive_t drive_of(VALUE trunk, VALUE request);

/* Has the trunk do what is rare, by a method of its own, undisturbed. */
VALUE drive_ask(const drive_t *drive, ID method, int count, VALUE argument);

/* After something was raised or thrown: was that the end of this connection, and no more? Then the trunk is lost. */
bool drive_was_lost(const drive_t *drive, bool (*is_ours)(VALUE error));

/* Is it an exception of the class? What is thrown, or ends a thread, is none. */
bool drive_is_error(VALUE error, VALUE class);

/* Is there nothing to send? */
bool drive_is_flushed(const crew_t *crew);

/* Has nothing come over the idle connection, not even its end? False: perhaps. */
bool drive_is_quiet(const crew_t *crew);

/* These lose the trunk when they fail. */
void drive_flush(const drive_t *drive);
socket_status_t drive_receive(const drive_t *drive);

/* Sleeps until there may be something to read, or the output can be written, or the crew's rest is over. False: the trunk was lost. */
bool drive_sleep(const drive_t *drive);

#endif
