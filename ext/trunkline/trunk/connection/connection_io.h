/* One caller's use of a connection: its request, its reads and writes, and the calls of rare methods in Ruby. */
#ifndef TRUNKLINE_CONNECTION_IO_H
#define TRUNKLINE_CONNECTION_IO_H

#include <ruby.h>
#include <stdbool.h>
#include "connection.h"
#include "../../socket/socket.h"

typedef struct {
    VALUE trunk;
    VALUE object; /* the request; nil in calls that need none */
    VALUE connection_object;
    connection_t *connection;
    request_t *request;
    bool interruptible; /* a plain thread whose interrupts are not masked */
    bool submitted, answered, completed;
} connection_io_t;

/* For the caller's stack, which keeps the objects alive. connection_object: the trunk's ConnectionState. Raises TypeError for objects of other
 * classes. */
connection_io_t connection_io_for(VALUE trunk, VALUE connection_object, VALUE request);

/* Calls a public method of the trunk with interrupts masked, for what happens rarely. Runs Ruby: other threads may run, and what was read of the
 * connection before may have changed. */
VALUE connection_io_call(const connection_io_t *io, ID method, int count, VALUE argument);

/* After rb_protect has caught something: whether it is an exception of this connection (is_ours). Then the trunk is lost, and the exception is
 * handled, for which it calls Ruby as connection_io_call does. */
bool connection_io_was_lost(const connection_io_t *io, bool (*is_ours)(VALUE error));

/* Whether it is an exception of the class. What is thrown, or ends a thread, is not. */
bool connection_io_is_error(VALUE error, VALUE class);

/* Whether all output is sent. Runs Ruby where a wire in Ruby reads and writes. */
bool connection_io_is_flushed(const connection_t *connection);

/* Whether the idle connection certainly has no input, and has not ended. False: it may have. */
bool connection_io_has_no_input(const connection_t *connection);

/* Send the output; read the socket into the codec's input. They never wait. On failure they call the trunk's methods, which lose the trunk or, after
 * a failed write, leave it to its leader to read why; that runs Ruby, as does each call where a wire in Ruby reads and writes. */
void connection_io_flush(const connection_io_t *io);
socket_status_t connection_io_receive(const connection_io_t *io);

/* Sleeps until the socket may be readable, or writable for the output, or the leader's sleep is over. False: the trunk was lost. Runs Ruby, and other
 * fibers and threads: the caller may have lost the lead when it returns. */
bool connection_io_sleep(const connection_io_t *io);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_io(void);

#endif
