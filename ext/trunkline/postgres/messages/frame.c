#include "frame.h"

#include "../../bytes/big_endian.h"

frame_status_t frame_read(const char *bytes, size_t count, size_t limit, frame_t *frame) {
    if (count < FRAME_HEADER) {
        frame->size = FRAME_HEADER;
        return FRAME_PARTIAL;
    }
    uint32_t length = read_u32(bytes + 1);
    if (length < 4 || length > INT32_MAX) return FRAME_BROKEN;
    frame->type = bytes[0];
    frame->body = bytes + FRAME_HEADER;
    frame->length = length - 4;
    frame->size = (size_t)length + 1;
    if (length > limit) return FRAME_TOO_LONG;
    return count < frame->size ? FRAME_PARTIAL : FRAME_WHOLE;
}
