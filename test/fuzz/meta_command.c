/* What is appended is one line, and for a value its block; a key is on it as it is, or in base64, and fits its size. */
#include "fuzz.h"
#include "memcached/meta_command.h"

#include <stdio.h>

static size_t line_length(const buffer_t *buffer) {
    const char *end = memchr(buffer_bytes(buffer), '\n', buffer_size(buffer));
    MUST(end && end > buffer_bytes(buffer) && end[-1] == '\r');
    return (size_t)(end - buffer_bytes(buffer)) + 1;
}

/* The key on the line takes as many bytes as was said, and none that would end it. */
static size_t check_key(const buffer_t *buffer, meta_text_t key) {
    const char *at = buffer_bytes(buffer) + sizeof "mg";
    size_t size = meta_key_size(key);
    for (size_t byte = 0; byte < size; byte++) MUST(at[byte] > ' ' && at[byte] <= '~');
    MUST(at[size] == ' ' || at[size] == '\r');
    if (size == key.length && memcmp(at, key.bytes, size) == 0) return size;
    MUST(size % 4 == 0 && size >= key.length && memmem(at + size, line_length(buffer) - size - sizeof "mg", " b", 2));
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input_t input = {data, data + size};
    uint32_t number = (uint32_t)input_number(&input) << 16 | input_number(&input);
    size_t left = input_left(&input), length = left ? 1 + input_byte(&input) % left : 0;
    if (length == 0 || length > input_left(&input)) return 0;
    char *key_bytes = exact_copy(input.at, length), *value_bytes = exact_copy(input.at + length, input_left(&input) - length);
    meta_text_t key = {key_bytes, length}, value = {value_bytes, input_left(&input) - length};
    meta_flags_t flags = {{" v", 2}, number, number % 2};
    char ending[32];
    size_t ending_size = (size_t)snprintf(ending, sizeof ending, " v%s O%u\r\n", flags.quiet ? " q" : "", number);

    buffer_t buffer = {0};
    MUST(meta_write(&buffer, 'g', key, &flags));
    MUST(memcmp(buffer_bytes(&buffer), "mg ", 3) == 0 && line_length(&buffer) == buffer_size(&buffer));
    check_key(&buffer, key);
    MUST(memcmp(buffer_bytes(&buffer) + buffer_size(&buffer) - ending_size, ending, ending_size) == 0);
    buffer_consume(&buffer, buffer_size(&buffer));

    MUST(meta_write_value(&buffer, key, value, number, &flags) && meta_write_noop(&buffer));
    size_t line = line_length(&buffer), key_size = check_key(&buffer, key);
    MUST(strtoull(buffer_bytes(&buffer) + 3 + key_size, NULL, 10) == value.length);
    MUST(buffer_size(&buffer) == line + value.length + 2 + 4);
    MUST(value.length == 0 || memcmp(buffer_bytes(&buffer) + line, value.bytes, value.length) == 0);
    MUST(memcmp(buffer_bytes(&buffer) + line + value.length, "\r\nmn\r\n", 6) == 0);
    buffer_release(&buffer);
    free(key_bytes);
    free(value_bytes);
    return 0;
}
