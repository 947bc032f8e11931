/* Any text is an interval or none. */
#include "fuzz.h"
#include "postgres/types/interval_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = exact_copy(data, size);
    interval_parts_t parts = {0};
    interval_parse(bytes, size, &parts);
    free(bytes);
    return 0;
}
