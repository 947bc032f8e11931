/* In the place of libFuzzer, where a compiler has none: gives a harness each file that is named, and each with single bytes changed. */
#include <stdio.h>
#include "fuzz.h"

#define MOST_BYTES 65536
#define CHANGES 64 /* for each file */

static void take(const char *path) {
    static uint8_t bytes[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    MUST(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    for (size_t change = 0; size > 0 && change < CHANGES; change++) {
        size_t at = change * 7919 % size;
        bytes[at] ^= (uint8_t)(1u << change % 8);
        LLVMFuzzerTestOneInput(bytes, size);
    }
}

int main(int count, char **paths) {
    for (int at = 1; at < count; at++) take(paths[at]);
    printf("%d files\n", count - 1);
    return 0;
}
