/* Bytes that no server would ever send: the code that raises this gives the connection up. */
#ifndef TRUNKLINE_PROTOCOL_ERROR_H
#define TRUNKLINE_PROTOCOL_ERROR_H

#include <ruby.h>

/* Raises Trunkline::ProtocolError; printf-like. */
NORETURN(void protocol_error(const char *format, ...));

#endif
