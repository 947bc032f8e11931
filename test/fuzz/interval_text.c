/* Any text is an interval or none. */
#include "fuzz.h"
#include "postgres/types/interval_text.h"

static void read_long(const char *bytes, size_t size) {
    interval_parts_t parts = {0};
    interval_parse(bytes, size, &parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    interval_parts_t parts = {0};
    interval_parse(bytes, size, &parts);
    free(bytes);
    must_be_linear(data, size, read_long);
    return 0;
}
