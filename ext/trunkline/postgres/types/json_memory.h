/* Estimates the memory of a JSON document as Ruby objects. Uses no Ruby. */
#ifndef TRUNKLINE_POSTGRES_JSON_MEMORY_H
#define TRUNKLINE_POSTGRES_JSON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_COUNTED = 1000 }; /* deeper ones are refused anyway */

/* Costs that differ between versions of Ruby. */
typedef struct {
    uint32_t empty_hash; /* bytes of a Hash without entries, 168 at most */
    bool twice;          /* a Hash may have room for twice as many entries, from the fifth one on */
    bool slots;          /* Strings and Arrays may be in their objects, which have slots of several sizes */
} json_costs_t;

/* Bytes, estimated from the text in one pass: at least as many as its Hashes, Arrays, Strings and numbers take, mostly at most twice as many
 * (measured beside the constants). A key that recurs is counted once, as Ruby stores it once. Accepts any text. */
uint64_t json_memory(const char *bytes, size_t length, json_costs_t costs);

#endif
