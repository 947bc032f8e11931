#include "checked_result.h"

#include "scanner.h"

bool has_checked_result(const char *sql, size_t length) {
    static const char *const planned[] = {"select", "insert", "update", "delete", "with", "values", "merge", "table"};
    scanner_t scanner = scanner_of(sql, length);
    token_t token;
    do scanner_next(&scanner, &token);
    while (token.kind == TOKEN_OPEN || token.kind == TOKEN_SEMICOLON);
    for (size_t at = 0; at < sizeof planned / sizeof *planned; at++) {
        if (token_is(&token, planned[at])) return true;
    }
    return false;
}
