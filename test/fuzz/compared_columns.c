/* The query for the columns of whatever SELECT consists of text of that statement, and is not much longer. */
#include "fuzz.h"
#include "postgres/sql/compared_columns.h"

static void read_long(const char *bytes, size_t size) {
    buffer_t query = {0};
    compared_columns_query(&query, bytes, size);
    buffer_release(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *sql = exact_copy(data, size);
    buffer_t query = {0};
    bool compares = compared_columns_query(&query, sql, size);
    MUST(buffer_size(&query) <= 8 + size * 2);
    if (compares) MUST(buffer_size(&query) >= 13 && memcmp(buffer_bytes(&query), "SELECT ", 7) == 0);
    buffer_release(&query);
    free(sql);
    must_be_linear(data, size, read_long);
    return 0;
}
