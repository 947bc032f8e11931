/* Any order of appending, consuming, reserving and shrinking leaves in the buffer what a plain array would hold. */
#include "fuzz.h"
#include "bytes/buffer.h"

#define MOST (1 << 16)
#define MOST_AT_ONCE 9000 /* more than the smallest buffer holds */

static char model[MOST];
static size_t model_size;

static void append(buffer_t *buffer, input_t *input) {
    size_t count = input_number(input) % MOST_AT_ONCE;
    if (model_size + count > MOST) return;
    for (size_t at = 0; at < count; at++) model[model_size + at] = (char)(at * 31 + count);
    MUST(buffer_append(buffer, model + model_size, count));
    model_size += count;
}

static void consume(buffer_t *buffer, input_t *input) {
    size_t count = input_number(input);
    if (count > model_size) count = model_size;
    buffer_consume(buffer, count);
    memmove(model, model + count, model_size - count);
    model_size -= count;
}

static void reserve(buffer_t *buffer, input_t *input) {
    size_t count = input_number(input) % MOST_AT_ONCE;
    MUST(buffer_reserve(buffer, count));
    MUST(buffer_room(buffer) >= count);
    if (count > 0) memset(buffer->start + buffer->tail, 0xAA, count); /* all of it may be written */
}

static void refuse(buffer_t *buffer) {
    buffer_t before = *buffer;
    MUST(!buffer_reserve(buffer, SIZE_MAX - 8));
    MUST(buffer_size(buffer) == buffer_size(&before) && buffer->capacity == before.capacity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input_t input = {data, data + size};
    buffer_t buffer = {0};
    model_size = 0;
    while (input_left(&input) > 0) {
        switch (input_byte(&input) % 6) {
        case 0: append(&buffer, &input); break;
        case 1: consume(&buffer, &input); break;
        case 2: reserve(&buffer, &input); break;
        case 3: buffer_shrink(&buffer, input_number(&input) + 1u); break;
        case 4: refuse(&buffer); break;
        default:
            buffer_release(&buffer);
            model_size = 0;
        }
        MUST(buffer_size(&buffer) == model_size && buffer.head <= buffer.tail && buffer.tail <= buffer.capacity);
        MUST(model_size == 0 || memcmp(buffer_bytes(&buffer), model, model_size) == 0);
    }
    buffer_release(&buffer);
    return 0;
}
