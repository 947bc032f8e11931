/* Trunkline::Bytes: a buffer that Ruby can hold, fill from a descriptor or a String, and empty into a descriptor. */
#ifndef TRUNKLINE_BYTES_CLASS_H
#define TRUNKLINE_BYTES_CLASS_H

#include <ruby.h>
#include "socket.h"
#include "../bytes/buffer.h"

extern VALUE cTrunklineBytes;

/* The buffer, which the object owns: no pointer into it may be kept while Ruby runs. It must be a Bytes. */
buffer_t *bytes_buffer(VALUE bytes);

/* Bytes#transfers in Ruby: see there. */
uint64_t bytes_transfers(VALUE bytes);

/* Counts a transfer, and reports the buffer's memory to the garbage collector. */
void bytes_count_transfer(VALUE bytes);

/* Bytes#receive_from and #send_to, for callers in the process that opened the descriptor. They raise nothing. */
socket_status_t bytes_receive(VALUE bytes, int descriptor);
socket_status_t bytes_send(VALUE bytes, int descriptor);

/* The status, which is not SOCKET_FAILED, in Ruby: :received, :blocked or :closed. */
VALUE bytes_received(socket_status_t status);

/* Frees memory that one long message needed, if the buffer is empty. */
void bytes_settle(VALUE bytes);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_bytes(void);

#endif
