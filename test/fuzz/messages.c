/* A stream from a server: it is cut the same wherever it is split, and no message is read past its end. */
#include "fuzz.h"
#include "bytes/reader.h"
#include "postgres/messages/command_tag.h"
#include "postgres/messages/error_code.h"
#include "postgres/messages/frame.h"
#include "postgres/messages/row_description.h"

#define LIMIT 4096

static void read_columns(const char *body, size_t length) {
    reader_t reader = reader_of(body, length);
    uint16_t count = row_description_open(&reader);
    column_t column;
    for (uint16_t at = 0; reader.whole && at < count && row_description_column(&reader, &column); at++) {
        MUST(column.name >= body && column.name + column.name_length < body + length);
        MUST(memchr(column.name, 0, column.name_length + 1) == column.name + column.name_length);
    }
    MUST(reader.at <= reader.end);
}

/* Every field after the first that is not whole is nothing. */
static void read_fields(const char *body, size_t length) {
    reader_t reader = reader_of(body, length);
    for (size_t step = 0; step < 64; step++) {
        bool whole = reader.whole;
        size_t left = reader_left(&reader), size = 0;
        switch (step % 5) {
        case 0: reader_u8(&reader); break;
        case 1: reader_string(&reader, &size); break;
        case 2: reader_u16(&reader); break;
        case 3: reader_take(&reader, step); break;
        default: reader_u32(&reader);
        }
        MUST(whole || !reader.whole);
        MUST(reader.whole ? reader_left(&reader) <= left : reader_left(&reader) == left);
    }
}

static void read_body(const frame_t *frame) {
    char *body = exact_copy(frame->body, frame->length);
    read_columns(body, frame->length);
    read_fields(body, frame->length);
    MUST(command_tag_rows(body, frame->length) >= -1);
    MUST(command_tag_effect(body, frame->length) <= COMMAND_CHANGES_SCHEMA);
    MUST(!error_code_begins(body, frame->length, "26000") || error_code_begins(body, frame->length, "26"));
    error_is_fatal(body, frame->length);
    command_tag_shows_state(body, frame->length);
    free(body);
}

/* With fewer bytes it is a part of the same message. */
static void read_partly(const char *bytes, const frame_t *whole) {
    for (size_t count = 0; count < whole->size; count += 1 + count / 4) {
        frame_t part;
        MUST(frame_read(bytes, count, LIMIT, &part) == FRAME_PARTIAL);
        MUST(part.size > count && part.size <= whole->size);
    }
}

static void read_long(const char *bytes, size_t size) {
    read_columns(bytes, size);
    error_is_fatal(bytes, size);
    command_tag_rows(bytes, size);
    command_tag_effect(bytes, size);
    command_tag_shows_state(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    size_t at = 0;
    frame_t frame;
    while (frame_read(bytes + at, size - at, LIMIT, &frame) == FRAME_WHOLE) {
        MUST(frame.size >= FRAME_HEADER && frame.size <= LIMIT + 1 && at + frame.size <= size);
        MUST(frame.length == frame.size - FRAME_HEADER);
        read_partly(bytes + at, &frame);
        read_body(&frame);
        at += frame.size;
    }
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
