/* The query for the columns of whatever statement consists of names of that statement, and is not much longer. */
#include "fuzz.h"
#include "postgres/sql/stored_columns.h"

#define FOR_A_NAME 32 /* bytes that the query adds to each name at most */

static void read_long(const char *bytes, size_t size) {
    buffer_t query = {0};
    stored_columns_query(&query, bytes, size);
    buffer_release(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *sql = exact_copy(data, size);
    buffer_t query = {0};
    bool stores = stored_columns_query(&query, sql, size).checked;
    MUST(buffer_size(&query) <= FOR_A_NAME + size * FOR_A_NAME);
    if (stores) MUST(buffer_size(&query) > 13 && memcmp(buffer_bytes(&query), "SELECT t", 8) == 0);
    buffer_release(&query);
    free(sql);
    must_be_linear(data, size, read_long);
    return 0;
}
