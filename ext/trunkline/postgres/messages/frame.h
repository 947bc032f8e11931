/* Parses the headers of backend messages. https://www.postgresql.org/docs/current/protocol-message-formats.html */
#ifndef TRUNKLINE_FRAME_H
#define TRUNKLINE_FRAME_H

#include <stddef.h>

#define FRAME_HEADER 5 /* type, and a length that counts itself but not the type */

typedef enum { FRAME_WHOLE, FRAME_PARTIAL, FRAME_BROKEN, FRAME_TOO_LONG } frame_status_t;

typedef struct {
    char type;
    const char *body;
    size_t length; /* of the body */
    size_t size;   /* of the whole message; with FRAME_PARTIAL at least how many bytes it needs; not set with FRAME_BROKEN */
} frame_t;

/* Parses the first message. FRAME_BROKEN: its length is impossible. FRAME_TOO_LONG: it is above `limit`. */
frame_status_t frame_read(const char *bytes, size_t count, size_t limit, frame_t *frame);

#endif
