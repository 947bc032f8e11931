/* What a JSON document takes: no byte more than a Hash, and no less for a longer text, but for a String at the end of the shorter one that is
 * a key that recurs in the longer one. */
#include "fuzz.h"
#include "postgres/types/json_memory.h"

enum { MOST_PER_BYTE = 168, STRING_OBJECT = 104 };

static const json_costs_t costs = {.empty_hash = 40};

static void read_long(const char *bytes, size_t size) { MUST(json_memory(bytes, size, costs) <= MOST_PER_BYTE * size); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size), *half = exact_copy(data, size / 2);
    uint64_t whole = json_memory(bytes, size, costs);
    MUST(whole <= MOST_PER_BYTE * size && json_memory(half, size / 2, costs) <= whole + STRING_OBJECT + size / 2);
    free(half);
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
