/* Trunkline::Postgres::RowMemory: counts the memory of one row's values as Ruby objects, so that few bytes from the server cannot become many. */
#ifndef TRUNKLINE_POSTGRES_ROW_MEMORY_H
#define TRUNKLINE_POSTGRES_ROW_MEMORY_H

#include <ruby.h>
#include <ruby/version.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t most, taken; /* bytes */
} row_memory_t;

#define ROW_MEMORY_BY_DEFAULT ((size_t)1 << 28) /* the default of max_message */

/* Bytes of objects, from ObjectSpace.memsize_of on 64-bit platforms. */
enum { OBJECT_BYTES = 40, SLOT_BYTES = 8 };

#define RUBY_IS_AT_LEAST(minor) (RUBY_API_VERSION_MAJOR > 3 || (RUBY_API_VERSION_MAJOR == 3 && RUBY_API_VERSION_MINOR >= (minor)))

/* A String's memory. Since Ruby 3.2 a short one is embedded in its object, whose slot has 40, 80, 160, 320 or 640 bytes. */
static inline uint64_t row_memory_of_string(uint64_t length) {
    uint64_t slot = OBJECT_BYTES;
    if (!RUBY_IS_AT_LEAST(2) || length > 615) return OBJECT_BYTES + length + 1; /* with a zero byte at the end */
    while (slot < length + 25) slot *= 2;
    return slot;
}

/* A new count, with a limit of `most` bytes. */
static inline row_memory_t row_memory_of(size_t most) { return (row_memory_t){.most = most}; }

/* Raises UnreadableResult: the row takes more than the limit. */
NORETURN(void row_memory_exceeded(const row_memory_t *memory));

/* Counts memory. Raises UnreadableResult if the row's values would take more than the limit. */
static inline void row_memory_take(row_memory_t *memory, uint64_t bytes) {
    if (bytes > memory->most - memory->taken) row_memory_exceeded(memory);
    memory->taken += bytes;
}

/* The struct of any object. Raises TypeError when it is no RowMemory. */
row_memory_t *row_memory_checked(VALUE object);

/* Defines the class in Ruby; called once, as the extension is loaded. */
void Init_trunkline_row_memory(void);

#endif
