/* Appends frontend messages to a buffer. Each function returns false, with part of a message possibly written, when there is no memory or the message
 * is longer than LONGEST_MESSAGE: the caller resets the buffer's tail. https://www.postgresql.org/docs/current/protocol-message-formats.html */
#ifndef TRUNKLINE_FRONTEND_H
#define TRUNKLINE_FRONTEND_H

#include "../../bytes/buffer.h"

#define LONGEST_MESSAGE 0x3ffffffe /* bytes of a message that a server accepts, without its type: a gibibyte (PQ_LARGE_MESSAGE_LIMIT) */
#define STATEMENT_NAME_SIZE 40 /* bytes of a prefix, a number of 20 digits and a zero byte, which take 36 at most */
#define STATEMENT_PREFIX_SIZE 16 /* bytes, a zero byte included */

typedef struct {
    const char *bytes;
    size_t length;
} span_t;

/* Writes a statement's name, the prefix and its number, ended by a zero byte; returns its length without that. The prefix is shorter than
 * STATEMENT_PREFIX_SIZE. */
size_t frontend_statement_name(span_t prefix, uint64_t number, char name[STATEMENT_NAME_SIZE]);

/* Parse, Describe, Close, Bind and Execute. An empty name is that of the unnamed statement or portal; `types` are OIDs, 0 where the server determines
 * the type. */
bool frontend_parse(buffer_t *buffer, span_t name, span_t sql, const uint32_t *types, uint16_t count);
bool frontend_describe_statement(buffer_t *buffer, span_t name);
bool frontend_describe_portal(buffer_t *buffer, span_t name);
bool frontend_close_statement(buffer_t *buffer, span_t name);
bool frontend_bind_text(buffer_t *buffer, span_t name, const span_t *parameters, uint16_t count); /* parameters and results as text */
bool frontend_execute(buffer_t *buffer);
bool frontend_execute_portal(buffer_t *buffer, span_t portal, uint32_t rows); /* up to so many, then it is suspended; 0: all */
bool frontend_sync(buffer_t *buffer);
bool frontend_flush(buffer_t *buffer); /* the server sends its output so far at once */

/* Runs a statement without parameters once, whose rows are ignored: Parse, Bind and Execute without names. */
bool frontend_run(buffer_t *buffer, span_t sql);

/* A script, as one simple Query; Terminate. */
bool frontend_query(buffer_t *buffer, span_t sql);
bool frontend_terminate(buffer_t *buffer);

/* A message whose length is known at its end: open returns where the length belongs, close writes it. */
bool frontend_open(buffer_t *buffer, char type, size_t *mark);
bool frontend_close(buffer_t *buffer, size_t mark);

#endif
