/* Trunkline::Bytes: a buffer that Ruby can hold, fill from a descriptor or a String, and empty into a descriptor. */
#ifndef TRUNKLINE_BYTES_CLASS_H
#define TRUNKLINE_BYTES_CLASS_H

#include <ruby.h>
#include "socket.h"
#include "../bytes/buffer.h"

extern VALUE cTrunklineBytes;

/* The buffer, which the object owns: no pointer into it may be kept while Ruby runs. It must be a Bytes. */
buffer_t *bytes_buffer(VALUE bytes);

/* Bytes#transfers: see there. */
uint64_t bytes_transfers(VALUE bytes);

/* Counts one more, and tells the garbage collector how much memory the buffer has by now. */
void bytes_count_transfer(VALUE bytes);

/* What Bytes#receive_from and #send_to do, in the process that the descriptor was opened in: nothing is raised. */
socket_status_t bytes_receive(VALUE bytes, int descriptor);
socket_status_t bytes_send(VALUE bytes, int descriptor);

/* What receiving returns in Ruby, of one that has not failed: :received, :blocked or :closed. */
VALUE bytes_received(socket_status_t status);

/* What is there was taken in: memory that one long message needed is given back. */
void bytes_settle(VALUE bytes);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_bytes(void);

#endif
