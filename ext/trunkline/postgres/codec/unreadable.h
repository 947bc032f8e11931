/* Answers that came in good order and cannot be given to their caller: with a row longer than max_message, or a value of which no object
 * can be made. They cost the neighbours nothing. */
#ifndef TRUNKLINE_UNREADABLE_H
#define TRUNKLINE_UNREADABLE_H

#include "../messages/frame.h"
#include "session_state.h"
#include "../types/row_memory.h"

/* Reads a row from what `data` points to, and counts its memory. May run Ruby: decoders, and BigDecimal(). */
typedef VALUE read_row_function(VALUE data, row_memory_t *memory);

/* Has `read` decode a row, of which data tells, by the request's description. Qundef: an error was raised over one of its values, other than
 * ProtocolError where it is not a script's, and the request is unreadable by that. */
VALUE protected_row(const session_state_t *session, postgres_request_t *request, read_row_function *read, VALUE data);

/* Decodes DataRow. Qundef: as of protected_row. */
VALUE row_or_unreadable(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* A row of so many bytes is too long to be taken in. */
void unreadable_row(const session_state_t *session, postgres_request_t *request, size_t size);

/* After the answer has come in a session that has another client_encoding than UTF-8: the request is unreadable where a text in it is not UTF-8. Runs
 * no Ruby but an allocation. */
void unreadable_texts(postgres_request_t *request);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_unreadable(void);

#endif
