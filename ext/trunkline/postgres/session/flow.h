/* A streamed answer, which its caller reads in portions while the rest of it stays in the socket; and the state of a COPY. */
#ifndef TRUNKLINE_FLOW_H
#define TRUNKLINE_FLOW_H

#include "../messages/frame.h"
#include "session_state.h"

typedef enum {
    COPY_NONE,
    COPY_IN,   /* CopyInResponse: the server receives data */
    COPY_OUT,  /* CopyOutResponse: it sends data */
    COPY_OVER, /* CopyDone */
} copy_state_t;

typedef struct flow {
    size_t most_rows;   /* of a portion: then decoding stops until it is taken */
    size_t bytes;       /* of the rows and notices in the portion */
    copy_state_t copy;
    uint16_t columns;   /* of a COPY */
    bool binary;        /* binary format */
    bool begun;         /* the header of the binary format has come */
} flow_t;

/* Streams the request's rows, in portions of so many, or fewer where they are large. */
void flow_begin(postgres_request_t *request, size_t most_rows);

/* Adds a row, whose message had so many bytes. */
void flow_add(session_state_t *session, postgres_request_t *request, VALUE row, size_t bytes);

/* Adds a notice. */
void flow_note(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The rows of the portion, as an Array; decoding continues. */
VALUE flow_portion(session_state_t *session, postgres_request_t *request);

/* The notices of the portion, in the form of ErrorFields.each, or nil; decoding continues. */
VALUE flow_notices(session_state_t *session, postgres_request_t *request);

/* Take CopyInResponse, CopyOutResponse or CopyBothResponse; CopyData, whose values may run Ruby as those of protected_row; CopyDone. Raise ProtocolError for
 * a message that the COPY's state does not allow. */
void copy_begin(postgres_request_t *request, const frame_t *frame);
void copy_data(session_state_t *session, postgres_request_t *request, const frame_t *frame);
void copy_done(postgres_request_t *request);

#endif
