/* What a COPY statement names lies within its text. */
#include "fuzz.h"
#include "postgres/sql/copy_statement.h"

static void read_long(const char *bytes, size_t size) {
    copy_statement_t copy;
    size_t at, length;
    copy_statement_read(bytes, size, &copy);
    copy_statement_among(bytes, size, &at, &length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *sql = exact_copy(data, size);
    copy_statement_t copy;
    if (copy_statement_read(sql, size, &copy)) {
        MUST(copy.source <= size && copy.source_length <= size - copy.source);
        MUST(copy.columns <= size && copy.columns_length <= size - copy.columns);
        MUST(copy.query || copy.source_length > 0);
    }
    size_t at, length;
    if (copy_statement_among(sql, size, &at, &length)) MUST(at <= size && length <= size - at && length > 4);
    free(sql);
    must_be_linear(data, size, read_long);
    return 0;
}
