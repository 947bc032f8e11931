#include "frontend.h"

#include <string.h>
#include "../../bytes/big_endian.h"

#define LENGTH_SIZE 4

size_t frontend_statement_name(span_t prefix, uint64_t number, char name[STATEMENT_NAME_SIZE]) {
    char digits[STATEMENT_NAME_SIZE];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(name, prefix.bytes, prefix.length);
    for (size_t at = 0; at < count; at++) name[prefix.length + at] = digits[count - 1 - at];
    name[prefix.length + count] = 0;
    return prefix.length + count;
}

bool frontend_open(buffer_t *buffer, char type, size_t *mark) {
    if (!buffer_reserve(buffer, 1 + LENGTH_SIZE)) return false;
    buffer->start[buffer->tail++] = type;
    *mark = buffer->tail - buffer->head; /* relative to the head: growing may move the buffer */
    buffer->tail += LENGTH_SIZE;
    return true;
}

bool frontend_close(buffer_t *buffer, size_t mark) {
    size_t length = buffer_size(buffer) - mark;
    if (length > LONGEST_MESSAGE) return false;
    write_u32(buffer->start + buffer->head + mark, (uint32_t)length);
    return true;
}

static bool append_string(buffer_t *buffer, span_t string) {
    return buffer_append(buffer, string.bytes, string.length) && buffer_append(buffer, "", 1);
}

static bool append_u16(buffer_t *buffer, uint16_t value) {
    char bytes[2];
    write_u16(bytes, value);
    return buffer_append(buffer, bytes, sizeof bytes);
}

static bool append_u32(buffer_t *buffer, uint32_t value) {
    char bytes[4];
    write_u32(bytes, value);
    return buffer_append(buffer, bytes, sizeof bytes);
}

bool frontend_parse(buffer_t *buffer, span_t name, span_t sql, const uint32_t *types, uint16_t count) {
    size_t mark;
    if (!frontend_open(buffer, 'P', &mark) || !append_string(buffer, name) || !append_string(buffer, sql)) return false;
    if (!append_u16(buffer, count)) return false;
    for (uint16_t at = 0; at < count; at++) {
        if (!append_u32(buffer, types[at])) return false;
    }
    return frontend_close(buffer, mark);
}

static bool name_message(buffer_t *buffer, char type, const char *kind, span_t name) {
    size_t mark;
    if (!frontend_open(buffer, type, &mark) || !buffer_append(buffer, kind, 1) || !append_string(buffer, name)) return false;
    return frontend_close(buffer, mark);
}

bool frontend_describe_statement(buffer_t *buffer, span_t name) { return name_message(buffer, 'D', "S", name); }

bool frontend_describe_portal(buffer_t *buffer, span_t name) { return name_message(buffer, 'D', "P", name); }

bool frontend_close_statement(buffer_t *buffer, span_t name) { return name_message(buffer, 'C', "S", name); }

bool frontend_query(buffer_t *buffer, span_t sql) {
    size_t mark;
    if (!frontend_open(buffer, 'Q', &mark) || !append_string(buffer, sql)) return false;
    return frontend_close(buffer, mark);
}

bool frontend_bind_text(buffer_t *buffer, span_t name, const span_t *parameters, uint16_t count) {
    size_t mark;
    if (!frontend_open(buffer, 'B', &mark) || !buffer_append(buffer, "", 1) || !append_string(buffer, name)) return false;
    if (!append_u16(buffer, 0) || !append_u16(buffer, count)) return false;
    for (uint16_t at = 0; at < count; at++) {
        if (!append_u32(buffer, (uint32_t)parameters[at].length) || !buffer_append(buffer, parameters[at].bytes, parameters[at].length)) return false;
    }
    return append_u16(buffer, 0) && frontend_close(buffer, mark);
}

/* Bind of the unnamed statement, without parameters, to the unnamed portal. The message is constant, as are those below. */
static bool bind_nothing(buffer_t *buffer) { return buffer_append(buffer, "B\0\0\0\x0c\0\0\0\0\0\0\0\0", 13); }

bool frontend_run(buffer_t *buffer, span_t sql) {
    return frontend_parse(buffer, (span_t){"", 0}, sql, NULL, 0) && bind_nothing(buffer) && frontend_execute(buffer);
}

/* Execute of the unnamed portal, all rows; Sync; Flush; Terminate. */
bool frontend_execute(buffer_t *buffer) { return buffer_append(buffer, "E\0\0\0\x09\0\0\0\0\0", 10); }

bool frontend_execute_portal(buffer_t *buffer, span_t portal, uint32_t rows) {
    size_t mark;
    if (!frontend_open(buffer, 'E', &mark) || !append_string(buffer, portal) || !append_u32(buffer, rows)) return false;
    return frontend_close(buffer, mark);
}

bool frontend_sync(buffer_t *buffer) { return buffer_append(buffer, "S\0\0\0\x04", 5); }

bool frontend_flush(buffer_t *buffer) { return buffer_append(buffer, "H\0\0\0\x04", 5); }

bool frontend_terminate(buffer_t *buffer) { return buffer_append(buffer, "X\0\0\0\x04", 5); }
