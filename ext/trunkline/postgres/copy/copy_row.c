#include "copy_row.h"

#include "../../trunk/runtime/protocol_error.h"

#define SIGNATURE "PGCOPY\n\377\r\n" /* and a zero byte */
#define HAS_OIDS (1 << 16)
#define NULL_LENGTH UINT32_MAX
#define NO_MORE_ROWS UINT16_MAX

/* The byte for a letter behind a backslash. The server uses no numeric escapes. */
static char unescaped(char letter) {
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return letter;
    }
}

static VALUE decode_escaped(const column_decoder_t *decoder, const char *bytes, size_t length, row_memory_t *memory) {
    VALUE buffer;
    char *plain = ALLOCV_N(char, buffer, length);
    size_t count = 0;
    for (size_t at = 0; at < length; at++) {
        if (bytes[at] != '\\') plain[count++] = bytes[at];
        else if (++at < length) plain[count++] = unescaped(bytes[at]);
        else protocol_error("a line of COPY ends within a value");
    }
    VALUE value = column_decode(decoder, FORMAT_TEXT, plain, count, memory);
    ALLOCV_END(buffer);
    return value;
}

static VALUE decode(const column_decoder_t *decoder, const char *bytes, size_t length, row_memory_t *memory) {
    if (!memchr(bytes, '\\', length)) return column_decode(decoder, FORMAT_TEXT, bytes, length, memory);
    if (length == 2 && bytes[1] == 'N') return Qnil;
    return decode_escaped(decoder, bytes, length, memory);
}

VALUE copy_row_text(const description_t *description, const char *line, size_t length, row_memory_t *memory) {
    const char *end = line + length - 1;
    if (length == 0 || *end != '\n') protocol_error("a line of COPY data does not end with a newline");
    VALUE row = rb_ary_new_capa(description->count);
    for (uint16_t at = 0; at < description->count; at++) {
        bool last = at + 1 == description->count;
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        if (last != !tab) protocol_error("a line of COPY does not have the columns that were described");
        const char *stop = last ? end : tab;
        rb_ary_push(row, decode(&description->decoders[at], line, (size_t)(stop - line), memory));
        line = stop + 1;
    }
    return row;
}

void copy_row_header(reader_t *reader) {
    const char *signature = reader_take(reader, sizeof SIGNATURE);
    uint32_t flags = reader_u32(reader);
    reader_take(reader, reader_u32(reader)); /* skips the header extension */
    if (!reader->whole || memcmp(signature, SIGNATURE, sizeof SIGNATURE) != 0) protocol_error("COPY does not begin with its signature");
    if (flags & HAS_OIDS) protocol_error("COPY sends OIDs of rows, which no server does since version 12: leave WITH OIDS out");
}

static VALUE binary_value(const column_decoder_t *decoder, reader_t *reader, row_memory_t *memory) {
    uint32_t length = reader_u32(reader);
    if (length == NULL_LENGTH && reader->whole) return Qnil;
    const char *bytes = reader_take(reader, length);
    if (!bytes) protocol_error("COPY ends within a value");
    return column_decode(decoder, FORMAT_BINARY, bytes, length, memory);
}

VALUE copy_row_binary(const description_t *description, reader_t *reader, row_memory_t *memory) {
    uint16_t count = reader_u16(reader);
    if (count == NO_MORE_ROWS && reader->whole) return Qnil;
    if (count != description->count || !reader->whole) protocol_error("a row of COPY does not have the columns that were described");
    VALUE row = rb_ary_new_capa(count);
    for (uint16_t at = 0; at < count; at++) rb_ary_push(row, binary_value(&description->decoders[at], reader, memory));
    return row;
}
