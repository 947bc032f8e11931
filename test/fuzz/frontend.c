/* What is appended can be read back: its type, its length and everything in it. */
#include "fuzz.h"
#include "bytes/reader.h"
#include "postgres/messages/frame.h"
#include "postgres/messages/frontend.h"

/* The next message in the buffer, which must be of this type. */
static reader_t take(buffer_t *buffer, char type) {
    frame_t frame;
    MUST(frame_read(buffer_bytes(buffer), buffer_size(buffer), SIZE_MAX, &frame) == FRAME_WHOLE);
    MUST(frame.type == type);
    buffer->head += frame.size;
    return reader_of(frame.body, frame.length);
}

static void expect_string(reader_t *reader, span_t string) {
    size_t length;
    const char *text = reader_string(reader, &length);
    MUST(text && length == string.length && memcmp(text, string.bytes, length) == 0);
}

static void expect_end(const reader_t *reader) { MUST(reader->whole && reader_left(reader) == 0); }

static void parse(buffer_t *buffer, span_t name, span_t sql, input_t *input) {
    uint32_t types[64];
    uint16_t count = input_byte(input) % 64;
    for (uint16_t at = 0; at < count; at++) types[at] = (uint32_t)input_number(input) << 16 | input_number(input);
    MUST(frontend_parse(buffer, name, sql, types, count));
    reader_t reader = take(buffer, 'P');
    expect_string(&reader, name);
    expect_string(&reader, sql);
    MUST(reader_u16(&reader) == count);
    for (uint16_t at = 0; at < count; at++) MUST(reader_u32(&reader) == types[at]);
    expect_end(&reader);
}

static void named(buffer_t *buffer, char type, span_t name) {
    reader_t reader = take(buffer, type);
    MUST(reader_u8(&reader) == 'S');
    expect_string(&reader, name);
    expect_end(&reader);
}

static void fixed(buffer_t *buffer, char type, size_t length) {
    reader_t reader = take(buffer, type);
    MUST(reader_left(&reader) == length);
}

static uint64_t number_of(span_t name) {
    char *end;
    uint64_t number = strtoull(name.bytes + 1, &end, 10);
    MUST(name.bytes[0] == 't' && end == name.bytes + name.length);
    return number;
}

/* What is longer than a server takes is refused, and no length is cut to 32 bits. Nothing of such a message is looked at. A processor of 32 bits
 * has no buffers as long as some of them. */
static void too_long(uint64_t more) {
    uint64_t size = 1 + (uint64_t)LONGEST_MESSAGE + more;
    if (size > SIZE_MAX) return;
    buffer_t buffer = {.tail = (size_t)size};
    MUST(!frontend_close(&buffer, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input_t input = {data, data + size};
    char name_bytes[STATEMENT_NAME_SIZE];
    uint64_t number = 0;
    for (int at = 0; at < 8; at++) number = number << 8 | input_byte(&input);
    span_t name = {name_bytes, frontend_statement_name((span_t){"t", 1}, number, name_bytes)};
    MUST(name.length < STATEMENT_NAME_SIZE && name_bytes[name.length] == 0 && number_of(name) == number);

    size_t sql_length = strnlen((const char *)input.at, input_left(&input));
    span_t sql = {(const char *)input.at, sql_length};
    buffer_t buffer = {0};
    MUST(buffer_append(&buffer, "before", number % 7));
    buffer_consume(&buffer, number % 7 > 3 ? 3 : 0); /* what was there stays there */
    size_t before = buffer_size(&buffer);
    buffer.head += before;
    parse(&buffer, name, sql, &input);
    MUST(frontend_describe_statement(&buffer, name) && frontend_close_statement(&buffer, name));
    named(&buffer, 'D', name);
    named(&buffer, 'C', name);
    MUST(frontend_query(&buffer, sql) && frontend_execute(&buffer) && frontend_sync(&buffer) && frontend_terminate(&buffer));
    reader_t query = take(&buffer, 'Q');
    expect_string(&query, sql);
    expect_end(&query);
    fixed(&buffer, 'E', 5);
    fixed(&buffer, 'S', 0);
    fixed(&buffer, 'X', 0);
    MUST(buffer_size(&buffer) == 0);
    buffer_release(&buffer);
    too_long(1 + number % UINT32_MAX);
    too_long(UINT32_MAX - (uint64_t)LONGEST_MESSAGE + 1 + number % 100);
    return 0;
}
