/* An answer that its caller takes in portions, while the rest of it waits in the socket; and what a COPY is in the middle of. */
#ifndef TRUNKLINE_FLOW_H
#define TRUNKLINE_FLOW_H

#include "../messages/frame.h"
#include "session_state.h"

typedef enum {
    COPY_NONE,
    COPY_IN,   /* the server takes data */
    COPY_OUT,  /* it sends some */
    COPY_OVER, /* all data has been sent */
} copy_state_t;

typedef struct flow {
    size_t most_rows;   /* of a portion: then nothing more is taken in */
    size_t bytes;       /* of the rows and notices that are there */
    copy_state_t copy;
    uint16_t columns;   /* of a COPY */
    bool binary;        /* its format */
    bool begun;         /* the header of that has come */
} flow_t;

/* From now on the request's rows are taken in portions of so many, or fewer where they are large. */
void flow_begin(postgres_request_t *request, size_t most_rows);

/* A row has come, which its message needed so many bytes for. */
void flow_add(session_state_t *session, postgres_request_t *request, VALUE row, size_t bytes);

/* A NoticeResponse has come. */
void flow_note(session_state_t *session, postgres_request_t *request, const frame_t *frame);

/* The rows that are there, as an Array; others may come. */
VALUE flow_portion(session_state_t *session, postgres_request_t *request);

/* The notices that are there, as ErrorFields.each takes them, or nil; others may come. */
VALUE flow_notices(session_state_t *session, postgres_request_t *request);

/* CopyInResponse, CopyOutResponse or CopyBothResponse; CopyData; CopyDone. */
void copy_begin(postgres_request_t *request, const frame_t *frame);
void copy_data(session_state_t *session, postgres_request_t *request, const frame_t *frame);
void copy_done(postgres_request_t *request);

#endif
