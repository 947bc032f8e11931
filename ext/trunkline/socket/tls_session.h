/* Trunkline::TLSSession: a TLS session that Ruby's OpenSSL::SSL::SSLSocket has set up, and whose socket C reads and writes from then on. libssl's
 * input and output are buffers in memory: it makes no system call, never has to wait, and calls no Ruby. So nothing else can run while a thread is
 * within libssl, and no lock is needed. */
#ifndef TRUNKLINE_TLS_SESSION_H
#define TRUNKLINE_TLS_SESSION_H

#include <ruby.h>
#include <stdbool.h>
#include "socket.h"

/* Raises TypeError when it is no TLSSession. The functions below do not check that. */
void tls_session_check(VALUE session);

/* Reads as socket_receive does, and decrypts into the Bytes. What libssl answers on its own account is sent, or left to tls_session_send.
 * SOCKET_FAILED: tls_session_error gives the reason. Runs no Ruby. */
socket_status_t tls_session_receive(VALUE session, VALUE bytes, int descriptor);

/* Encrypts and writes the Bytes as socket_send does, a record at a time. A record that was encrypted and not sent is removed from the Bytes, and sent
 * first by the next call. Runs no Ruby. */
socket_status_t tls_session_send(VALUE session, VALUE bytes, int descriptor);

/* Whether all encrypted output is sent. */
bool tls_session_is_flushed(VALUE session);

/* Whether there is input that a wait for the socket would not see: decrypted bytes, the end, an error. */
bool tls_session_has_buffered_input(VALUE session);

/* The exception of the last failure: a SystemCallError or a ConnectionError. Runs Ruby. */
VALUE tls_session_error(VALUE session);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_tls_session(void);

#endif
