/* One caller's use of a connection: its request, what it reads and writes, and the rare steps that are left to Ruby. */
#ifndef TRUNKLINE_CONNECTION_IO_H
#define TRUNKLINE_CONNECTION_IO_H

#include <ruby.h>
#include <stdbool.h>
#include "connection.h"
#include "../../socket/socket.h"

typedef struct {
    VALUE trunk;
    VALUE object; /* the request; nil where it does not matter whose way it is */
    VALUE connection_object;
    connection_t *connection;
    request_t *request;
    bool exposed; /* to interrupts: a plain thread, whose caller has not seen to it that there are none */
    bool taken, answered, through;
} connection_io_t;

/* On the stack of the caller, which keeps the objects alive. connection_object: the trunk's ConnectionState. Raises TypeError where one is something
 * else. */
connection_io_t connection_io_for(VALUE trunk, VALUE connection_object, VALUE request);

/* Calls a method of the trunk, for what is rare, with interrupts masked. Runs Ruby: other threads may run, and what was read of the connection
 * before may have changed. */
VALUE connection_io_call(const connection_io_t *io, ID method, int count, VALUE argument);

/* After something was raised or thrown: was that the end of this connection, and no more? Then the trunk is lost. */
bool connection_io_was_lost(const connection_io_t *io, bool (*is_ours)(VALUE error));

/* Whether it is an exception of the class: what is thrown, or ends a thread, is none. */
bool connection_io_is_error(VALUE error, VALUE class);

/* Whether there is nothing to send. */
bool connection_io_is_flushed(const connection_t *connection);

/* Whether nothing has come over the idle connection, not even its end; false: something may have. */
bool connection_io_is_quiet(const connection_t *connection);

/* Send what there is to send; read what there is to read into the codec's input. They never wait. When they fail the trunk is lost, or its leader is
 * about to read why nothing can be sent; that runs Ruby, and so does each of them over a wire that Ruby drives. */
void connection_io_flush(const connection_io_t *io);
socket_status_t connection_io_receive(const connection_io_t *io);

/* Sleeps until there may be something to read, or the output can be written, or the connection's rest is over. False: the trunk was lost. Runs Ruby,
 * and other fibers and threads: the caller may lead no more when it returns. */
bool connection_io_sleep(const connection_io_t *io);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_io(void);

#endif
