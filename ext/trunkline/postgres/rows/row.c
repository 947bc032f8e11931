#include "row.h"

#include "../../bytes/reader.h"
#include "../../trunk/runtime/protocol_error.h"

#define NULL_LENGTH UINT32_MAX

static VALUE next_value(reader_t *reader, const column_decoder_t *decoder, bool binary, row_memory_t *memory) {
    uint32_t length = reader_u32(reader);
    if (length == NULL_LENGTH && reader->whole) return Qnil;
    const char *bytes = reader_take(reader, length);
    if (!bytes) protocol_error("DataRow ends within a value");
    return column_decode(decoder, binary, bytes, length, memory);
}

/* The values are collected where the garbage collector sees them (ALLOCV: on the stack up to a kilobyte), and become an Array of exactly their size. */
static VALUE read_row(reader_t *reader, const description_t *description, bool binary, row_memory_t *memory) {
    VALUE buffer, *values = ALLOCV_N(VALUE, buffer, description->count);
    for (uint16_t at = 0; at < description->count; at++) values[at] = next_value(reader, &description->decoders[at], binary, memory);
    VALUE row = rb_ary_new_from_values(description->count, values);
    ALLOCV_END(buffer);
    return row;
}

VALUE row_decode(const description_t *description, bool binary, const char *body, size_t length, row_memory_t *memory) {
    reader_t reader = reader_of(body, length);
    if (reader_u16(&reader) != description->count || !reader.whole) protocol_error("DataRow does not have the columns that were described");
    VALUE row = read_row(&reader, description, binary, memory);
    if (reader_left(&reader) > 0) protocol_error("DataRow has bytes after its last value");
    return row;
}
