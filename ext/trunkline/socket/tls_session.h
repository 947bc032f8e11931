/* Trunkline::TLSSession: a TLS session that Ruby's OpenSSL::SSL::SSLSocket has set up, over whose socket C reads and writes from then on. libssl gets
 * what was received, and leaves what is to be sent, in memory: it makes no system call, never has to wait, and calls no Ruby. So nothing else can
 * run while a thread is within libssl, and no lock is needed. */
#ifndef TRUNKLINE_TLS_SESSION_H
#define TRUNKLINE_TLS_SESSION_H

#include <ruby.h>
#include <stdbool.h>
#include "socket.h"

/* Raises TypeError where it is something else. The functions below take it as it is. */
void tls_session_check(VALUE session);

/* Reads what there is, as socket_receive does, and decrypts it into the Bytes. What libssl wants to answer on its own account is sent, or is left
 * to tls_session_send. SOCKET_FAILED: tls_session_error says why. Runs no Ruby. */
socket_status_t tls_session_receive(VALUE session, VALUE bytes, int descriptor);

/* Encrypts and writes what lies in the Bytes, as socket_send does, a record at a time. What is encrypted already is not in the Bytes any more, and is
 * sent first the next time. Runs no Ruby. */
socket_status_t tls_session_send(VALUE session, VALUE bytes, int descriptor);

/* Is nothing left that was encrypted and not sent? */
bool tls_session_is_flushed(VALUE session);

/* Is there something to take in, or to be told, that a wait for the socket would not see: decrypted bytes, the end, an error? */
bool tls_session_has_news(VALUE session);

/* The exception for what has failed: a SystemCallError or a ConnectionError. Runs Ruby. */
VALUE tls_session_error(VALUE session);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_tls_session(void);

#endif
