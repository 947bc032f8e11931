#include "compared_columns.h"

#include "scanner.h"

/* Distinct columns for each of which the select list is searched, which bounds the work. Further ones are checked also where the result has them: a
 * superfluous check, where leaving one out would let it be compared by a former type. */
#define MOST_SEARCHED 16

typedef struct {
    scanner_t scanner;
    token_t token;
    const char *end;      /* of the token before */
    bool parameters;      /* a parameter was read */
    bool merges;          /* USING or NATURAL was read: * may have a column of another table in place of one of the same name */
    bool conditions;      /* WHERE was read: a subquery, whose columns have other tables, is read as one closing parenthesis */
    bool memory;
} reading_t;

typedef struct {
    token_t table, name; /* table.name; without a table its kind is TOKEN_END */
    const char *start, *end;
} column_t;

static bool is(const reading_t *reading, const char *word) { return token_is(&reading->token, word); }
static bool is_name(const token_t *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }
static bool is_sign(const token_t *token, char sign) { return token->kind == TOKEN_OTHER && token->length == 1 && *token->start == sign; }
static bool at_end(const reading_t *reading) {
    return reading->token.kind == TOKEN_END || reading->token.kind == TOKEN_BROKEN || reading->token.kind == TOKEN_SEMICOLON;
}

static bool is_parameter(const token_t *token) {
    return token->kind == TOKEN_OTHER && token->length > 1 && token->start[0] == '$' && token->start[1] >= '0' && token->start[1] <= '9';
}

static bool is_one_of(const reading_t *reading, const char *const *words) {
    if (reading->token.kind != TOKEN_WORD) return false;
    for (; *words; words++) {
        if (is(reading, *words)) return true;
    }
    return false;
}

/* All of these words are reserved. */
static bool ends_from(const reading_t *reading) {
    static const char *const words[] = {"where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "union", "intersect", "except", NULL};
    return at_end(reading) || is_one_of(reading, words);
}

static bool begins_subquery(scanner_t scanner) {
    token_t token;
    scanner_next(&scanner, &token);
    return token_is(&token, "select") || token_is(&token, "with") || token_is(&token, "values") || token_is(&token, "table");
}

static void next(reading_t *reading) {
    reading->end = reading->token.start + reading->token.length;
    scanner_next(&reading->scanner, &reading->token);
    if (reading->conditions && reading->token.kind == TOKEN_OPEN && begins_subquery(reading->scanner)) {
        for (long depth = 1; depth > 0 && !at_end(reading);) {
            scanner_next(&reading->scanner, &reading->token);
            depth += reading->token.kind == TOKEN_OPEN;
            depth -= reading->token.kind == TOKEN_CLOSE;
        }
    }
    reading->parameters |= is_parameter(&reading->token);
    reading->merges |= token_is(&reading->token, "using") || token_is(&reading->token, "natural");
}

static void append(reading_t *reading, buffer_t *query, const char *bytes, size_t length) {
    reading->memory = reading->memory && buffer_append(query, bytes, length);
}

/* Skips to where the depth of parentheses is what it was, and the token one of those that end FROM, or `word`. */
static void skip_clause(reading_t *reading, const char *word) {
    bool distinct = false; /* IS DISTINCT FROM is no clause */
    for (long depth = 0; !at_end(reading); next(reading)) {
        if (depth == 0 && !distinct && (ends_from(reading) || is(reading, word))) return;
        distinct = is(reading, "distinct");
        depth += reading->token.kind == TOKEN_OPEN;
        depth -= reading->token.kind == TOKEN_CLOSE;
        if (depth < 0) return;
    }
}

static bool same_name(const token_t *one, const token_t *other) {
    return one->kind == other->kind && one->length == other->length && memcmp(one->start, other->start, one->length) == 0;
}

/* Reads a name, or one with its table's. Stops behind it. Other names are left out, as a schema's. */
static bool read_column(reading_t *reading, column_t *column) {
    if (!is_name(&reading->token)) return false;
    *column = (column_t){.name = reading->token, .start = reading->token.start};
    next(reading);
    if (reading->token.kind == TOKEN_DOT) {
        next(reading);
        if (!is_name(&reading->token)) return false;
        column->table = column->name;
        column->name = reading->token;
        next(reading);
        if (reading->token.kind == TOKEN_DOT) return false;
    }
    column->end = reading->end;
    return true;
}

/* Whether an element of the select list is the column, or all of its table. */
static bool has_column(const char *list, size_t length, const column_t *column, bool merges) {
    reading_t reading = {.scanner = scanner_of(list, length), .token = {.start = list}};
    next(&reading);
    if (is(&reading, "distinct") || is(&reading, "all")) next(&reading);
    for (;;) {
        token_t table = reading.token;
        if (is_sign(&table, '*') && !merges) return true;
        column_t element = {.start = NULL};
        bool read = read_column(&reading, &element);
        bool ends = at_end(&reading) || is_sign(&reading.token, ',');
        if (read && ends && same_name(&element.name, &column->name) && (!column->table.length || same_name(&element.table, &column->table))) return true;
        if (!read && is_sign(&reading.token, '*') && column->table.length && same_name(&table, &column->table)) return true;
        for (long depth = 0; !at_end(&reading); next(&reading)) {
            if (depth == 0 && is_sign(&reading.token, ',')) break;
            depth += reading.token.kind == TOKEN_OPEN;
            depth -= reading.token.kind == TOKEN_CLOSE;
        }
        if (at_end(&reading)) return false;
        next(&reading);
    }
}

static bool read_parameter(reading_t *reading) {
    if (!is_parameter(&reading->token)) return false;
    next(reading);
    return true;
}

/* Reads ($1, $2). */
static bool read_parameters(reading_t *reading) {
    if (reading->token.kind != TOKEN_OPEN) return false;
    do {
        next(reading);
        if (!read_parameter(reading)) return false;
    } while (is_sign(&reading->token, ','));
    if (reading->token.kind != TOKEN_CLOSE) return false;
    next(reading);
    return true;
}

static bool is_comparison(const token_t *token) { return is_sign(token, '=') || is_sign(token, '<') || is_sign(token, '>') || is_sign(token, '!'); }

/* Reads what stands behind a column that is compared with parameters. */
static bool read_comparison(reading_t *reading) {
    if (is_comparison(&reading->token)) {
        while (is_comparison(&reading->token)) next(reading);
        if (!is(reading, "any") && !is(reading, "some") && !is(reading, "all")) return read_parameter(reading);
        next(reading);
        return read_parameters(reading);
    }
    bool is_distinct = is(reading, "is");
    if (is_distinct) next(reading);
    if (is(reading, "not")) next(reading);
    if (is_distinct) {
        if (!is(reading, "distinct")) return false;
        next(reading);
        if (!is(reading, "from")) return false;
        next(reading);
        return read_parameter(reading);
    }
    if (is(reading, "in")) {
        next(reading);
        return read_parameters(reading);
    }
    if (!is(reading, "between")) return false;
    next(reading);
    if (!read_parameter(reading) || !is(reading, "and")) return false;
    next(reading);
    return read_parameter(reading);
}

static bool begins_condition(const token_t *token) {
    return token->kind == TOKEN_OPEN || token_is(token, "where") || token_is(token, "and") || token_is(token, "or") || token_is(token, "not");
}

static bool ends_condition(const reading_t *reading) {
    return ends_from(reading) || reading->token.kind == TOKEN_CLOSE || is(reading, "and") || is(reading, "or");
}

/* The columns that were compared before, up to MOST_SEARCHED. */
typedef struct {
    column_t columns[MOST_SEARCHED];
    size_t count;
} compared_t;

static bool is_same_column(const column_t *one, const column_t *other) {
    if (!same_name(&one->name, &other->name) || one->table.length != other->table.length) return false;
    return one->table.length == 0 || same_name(&one->table, &other->table);
}

/* Whether the column is to be checked: the result does not have it, and it was not compared before. */
static bool needs_check(compared_t *compared, const column_t *column, const char *list, size_t length, bool merges) {
    for (size_t at = 0; at < compared->count; at++) {
        if (is_same_column(&compared->columns[at], column)) return false;
    }
    if (compared->count == MOST_SEARCHED) return true;
    compared->columns[compared->count++] = *column;
    return !has_column(list, length, column, merges);
}

/* Reads a condition; sets the column if it compares one with parameters. */
static bool read_condition(reading_t *reading, column_t *column) {
    return !is(reading, "not") && read_column(reading, column) && read_comparison(reading) && ends_condition(reading);
}

/* Reads from WHERE to the clause behind it. Whether a column was appended. */
static bool read_conditions(reading_t *reading, buffer_t *query, const char *list, size_t length) {
    compared_t compared = {.count = 0};
    column_t column;
    bool some = false;
    while (!at_end(reading)) {
        bool begins = begins_condition(&reading->token);
        next(reading);
        if (ends_from(reading)) break;
        if (!begins) continue;
        if (read_condition(reading, &column) && needs_check(&compared, &column, list, length, reading->merges)) {
            if (some) append(reading, query, ", ", 2);
            append(reading, query, column.start, (size_t)(column.end - column.start));
            some = true;
        }
        if (ends_from(reading)) break;
    }
    return some;
}

bool compared_columns_query(buffer_t *query, const char *sql, size_t length) {
    reading_t reading = {.scanner = scanner_of(sql, length), .token = {.start = sql}, .memory = true};
    next(&reading);
    if (!is(&reading, "select")) return false;
    next(&reading);
    const char *list = reading.token.start;
    skip_clause(&reading, "from");
    if (!is(&reading, "from")) return false;
    size_t list_length = (size_t)(reading.token.start - list);
    reading.parameters = false;
    const char *from = reading.token.start;
    next(&reading);
    skip_clause(&reading, "where");
    if (reading.parameters || !is(&reading, "where")) return false;
    size_t from_length = (size_t)(reading.end - from);
    reading.conditions = true;
    append(&reading, query, "SELECT ", 7);
    bool some = read_conditions(&reading, query, list, list_length);
    append(&reading, query, " ", 1);
    append(&reading, query, from, from_length);
    return some && reading.memory;
}

bool compared_types_matter(const uint32_t *types, uint16_t count) {
    static const uint32_t others[] = {16, 17, 20, 21, 23, 25, 26, 1043, 2950, /* arrays of these: */ 1000, 1001, 1016, 1005, 1007, 1009, 1028, 1015, 2951};
    for (uint16_t at = 0; at < count; at++) {
        bool other = false;
        for (size_t number = 0; number < sizeof others / sizeof *others; number++) other |= types[at] == others[number];
        if (!other) return true;
    }
    return false;
}
