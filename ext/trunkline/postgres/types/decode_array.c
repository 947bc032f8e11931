#include "decoders.h"
#include "array_text.h"
#include "../../bytes/big_endian.h"

enum { GROWING_SLOT_BYTES = 12 }; /* of an Array whose size is not known: Ruby enlarges a full one by half */

NORETURN(static void raise_malformed_array(const pg_type_t *element));

static void raise_malformed_array(const pg_type_t *element) {
    char name[64];

    snprintf(name, sizeof name, "%s[]", element->name);
    raise_malformed(name);
}

void count_value(const pg_type_t *type, VALUE value, size_t length, row_memory_t *memory) {
    if (RB_SPECIAL_CONST_P(value)) return;
    row_memory_take(memory, type->object_bytes + row_memory_of_string(length) - OBJECT_BYTES);
}

static VALUE read_value(const pg_type_t *element, const array_token_t *token) {
    if (!token->escaped) return element->text(token->bytes, token->length);

    VALUE buffer;
    char *bytes = ALLOCV_N(char, buffer, token->length);
    VALUE value = element->text(bytes, array_text_unescape(token, bytes));

    ALLOCV_END(buffer);
    return value;
}

/* Reads up to the closing brace of the one just read. */
static VALUE read_level(const pg_type_t *element, array_text_t *text, row_memory_t *memory) {
    row_memory_take(memory, OBJECT_BYTES);
    VALUE array = rb_ary_new(), value;
    array_token_t token;

    for (;;) {
        switch (array_text_next(text, &token)) {
        case ARRAY_OPEN: value = read_level(element, text, memory); break;
        case ARRAY_NULL: value = Qnil; break;
        case ARRAY_VALUE:
            value = read_value(element, &token);
            count_value(element, value, token.length, memory);
            break;
        case ARRAY_CLOSE: return array;
        default: raise_malformed_array(element);
        }
        row_memory_take(memory, GROWING_SLOT_BYTES);
        rb_ary_push(array, value);
    }
}

VALUE decode_array_text(const pg_type_t *element, const char *bytes, size_t length, row_memory_t *memory) {
    array_text_t text;
    array_token_t token;

    array_text_start(&text, bytes, length);
    if (array_text_next(&text, &token) != ARRAY_OPEN) raise_malformed_array(element);
    VALUE array = read_level(element, &text, memory);
    if (array_text_next(&text, &token) != ARRAY_END) raise_malformed_array(element);
    RB_GC_GUARD(array);
    return array;
}

typedef struct {
    const pg_type_t *element;
    const char *at, *end;
    uint32_t dimensions, sizes[ARRAY_DEPTH_MAX];
    row_memory_t *memory;
} binary_array_t;

enum { ARRAY_HEADER = 12, DIMENSION = 8 };

/* Each element takes at least four bytes, which limits the sizes. An inner array takes the server no bytes if it has one element, but memory here. */
static bool read_dimensions(binary_array_t *array) {
    uint64_t product = 1, most = (uint64_t)(array->end - array->at) / 4;

    for (uint32_t i = 0; i < array->dimensions; i++, array->at += DIMENSION) {
        row_memory_take(array->memory, product * OBJECT_BYTES);
        array->sizes[i] = read_u32(array->at);
        if (array->sizes[i] == 0 || array->sizes[i] > most) return false;
        product *= array->sizes[i];
        if (product > most) return false;
        row_memory_take(array->memory, product * SLOT_BYTES);
    }
    return true;
}

static VALUE read_element(binary_array_t *array) {
    if (array->end - array->at < 4) raise_malformed_array(array->element);
    int32_t length = (int32_t)read_u32(array->at);

    array->at += 4;
    if (length == -1) return Qnil;
    if (length < 0 || array->end - array->at < length) raise_malformed_array(array->element);
    const char *bytes = array->at;
    array->at += length;
    VALUE value = array->element->binary(bytes, (size_t)length);
    count_value(array->element, value, (size_t)length, array->memory);
    return value;
}

/* The sizes of this dimension and of those inside it. */
static VALUE read_dimension(binary_array_t *array, const uint32_t *sizes, uint32_t dimensions) {
    VALUE values = rb_ary_new_capa((long)*sizes);

    for (uint32_t i = 0; i < *sizes; i++) {
        rb_ary_push(values, dimensions == 1 ? read_element(array) : read_dimension(array, sizes + 1, dimensions - 1));
    }
    return values;
}

/* Header: number of dimensions, whether there are NULLs, the element's OID (which may be a domain's, so it is not compared); then a size and a lower
 * bound for each dimension. */
VALUE decode_array_binary(const pg_type_t *element, const char *bytes, size_t length, row_memory_t *memory) {
    binary_array_t array = {.element = element, .at = bytes, .end = bytes + length, .memory = memory};

    if (length < ARRAY_HEADER) raise_malformed_array(element);
    array.dimensions = read_u32(bytes);
    array.at += ARRAY_HEADER;
    if (array.dimensions > ARRAY_DEPTH_MAX || (size_t)(array.end - array.at) < array.dimensions * DIMENSION) {
        raise_malformed_array(element);
    }
    if (array.dimensions > 0 && !read_dimensions(&array)) raise_malformed_array(element);

    if (array.dimensions == 0) row_memory_take(memory, OBJECT_BYTES);
    VALUE values = array.dimensions == 0 ? rb_ary_new() : read_dimension(&array, array.sizes, array.dimensions);
    if (array.at != array.end) raise_malformed_array(element);
    RB_GC_GUARD(values);
    return values;
}
