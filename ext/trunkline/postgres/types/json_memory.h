/* How much memory a JSON document takes as Ruby objects. Knows no Ruby. */
#ifndef TRUNKLINE_POSTGRES_JSON_MEMORY_H
#define TRUNKLINE_POSTGRES_JSON_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_COUNTED = 1000 }; /* deeper ones are refused anyway */

/* Bytes, told from the text in one pass: at least as many as its Hashes, Arrays, Strings and numbers take, mostly at most
 * twice as many (measured beside the constants). A key that recurs is counted once, as Ruby keeps it. Any text will do.
 * empty_hash: bytes that this Ruby takes for a Hash without entries. */
uint64_t json_memory(const char *bytes, size_t length, size_t empty_hash);

#endif
