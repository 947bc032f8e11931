/* Complete answers that cannot be given to their caller: a row is longer than max_message, or a value cannot become an object. Other requests are not
 * affected. */
#ifndef TRUNKLINE_UNREADABLE_H
#define TRUNKLINE_UNREADABLE_H

#include "../messages/frame.h"
#include "../session/session_state.h"
#include "../types/row_memory.h"

/* Reads a row from `data`, and counts its memory. May run Ruby: decoders, and BigDecimal(). */
typedef VALUE read_row_function(VALUE data, row_memory_t *memory);

/* Decodes a row from `data` by `read`, with the request's description. Qundef: one of its values has raised an error, and the request is unreadable
 * because of that. A ProtocolError is raised, except in a script. May run Ruby, where column_decode does. */
VALUE protected_row(const session_state_t *session, postgres_request_t *request, read_row_function *read, VALUE data);

/* Decodes DataRow. Qundef: as protected_row. May run Ruby, likewise. */
VALUE row_or_unreadable(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* Makes the request unreadable: a row of so many bytes is too long. Runs Ruby, the error's initialize. */
void unreadable_row(const session_state_t *session, postgres_request_t *request, size_t size);

/* Called at the end of an answer in a session with another client_encoding than UTF-8: makes the request unreadable if a text in it is not UTF-8.
 * If so, runs Ruby, the error's initialize. */
void unreadable_texts(postgres_request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_unreadable(void);

#endif
