/* What a COPY statement names lies within its text. */
#include "fuzz.h"
#include "postgres/copy_statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *sql = exact_copy(data, size);
    copy_statement_t copy;
    if (copy_statement_read(sql, size, &copy)) {
        MUST(copy.source <= size && copy.source_length <= size - copy.source);
        MUST(copy.columns <= size && copy.columns_length <= size - copy.columns);
        MUST(copy.query || copy.source_length > 0);
    }
    free(sql);
    return 0;
}
