#include "stored_columns.h"

#include <stdio.h>
#include <strings.h>
#include "scanner.h"

#define LONGEST_ALIAS 24 /* bytes: " AS t", ten digits, and a zero byte take 16 */

typedef struct {
    scanner_t scanner;
    token_t token;
    buffer_t *columns; /* the text between SELECT and FROM */
    buffer_t tables;   /* the text behind FROM */
    token_t row;       /* the last table's name or alias, which as an expression is its whole row */
    unsigned targets;
    bool empty;        /* no column was added */
    bool every;        /* all columns of the last table were added */
    bool parameters;   /* a parameter was read */
    bool fields;       /* a field of a composite type was assigned, or chosen by */
    bool memory;
} reading_t;

static bool is_sign(const reading_t *reading, char sign) {
    return reading->token.kind == TOKEN_OTHER && reading->token.length == 1 && *reading->token.start == sign;
}

static bool is(const reading_t *reading, const char *word) { return token_is(&reading->token, word); }
static bool is_name(const reading_t *reading) { return reading->token.kind == TOKEN_WORD || reading->token.kind == TOKEN_QUOTED; }
static bool opens(const reading_t *reading) { return reading->token.kind == TOKEN_OPEN || is_sign(reading, '['); }
static bool closes(const reading_t *reading) { return reading->token.kind == TOKEN_CLOSE || is_sign(reading, ']'); }

static bool at_end(const reading_t *reading) {
    return reading->token.kind == TOKEN_END || reading->token.kind == TOKEN_BROKEN || reading->token.kind == TOKEN_SEMICOLON;
}

static bool is_parameter(const reading_t *reading) {
    const token_t *token = &reading->token;
    return token->kind == TOKEN_OTHER && token->length > 1 && token->start[0] == '$' && token->start[1] >= '0' && token->start[1] <= '9';
}

static void next(reading_t *reading) {
    scanner_next(&reading->scanner, &reading->token);
    reading->parameters |= is_parameter(reading);
}

static void append(reading_t *reading, buffer_t *buffer, const char *bytes, size_t length) {
    reading->memory = reading->memory && buffer_append(buffer, bytes, length);
}

static void append_alias(reading_t *reading, buffer_t *buffer, const char *format) {
    char alias[LONGEST_ALIAS];
    append(reading, buffer, alias, (size_t)snprintf(alias, sizeof alias, format, reading->targets));
}

/* Adds a column of the last table. */
static void add_column(reading_t *reading, const char *name, size_t length) {
    if (reading->every) return;
    if (!reading->empty) append(reading, reading->columns, ", ", 2);
    append_alias(reading, reading->columns, "t%u.");
    append(reading, reading->columns, name, length);
    reading->empty = false;
}

static void add_every_column(reading_t *reading) {
    add_column(reading, "*", 1);
    reading->every = true;
}

static void add_table(reading_t *reading, const char *name, size_t length) {
    if (reading->targets++ > 0) append(reading, &reading->tables, ", ", 2);
    append(reading, &reading->tables, name, length);
    append_alias(reading, &reading->tables, " AS t%u");
    reading->every = false;
}

/* Reads the name of a table, with or without ONLY and a schema. Returns its length; stops behind it. */
static size_t read_table(reading_t *reading, const char **name) {
    if (is(reading, "only")) next(reading);
    bool between = reading->token.kind == TOKEN_OPEN;
    if (between) next(reading);
    const char *to = *name = reading->token.start;
    while (is_name(reading)) {
        to = reading->token.start + reading->token.length;
        reading->row = reading->token;
        next(reading);
        if (reading->token.kind != TOKEN_DOT) break;
        next(reading);
    }
    if (between && reading->token.kind == TOKEN_CLOSE) next(reading);
    if (is_sign(reading, '*')) next(reading);
    return (size_t)(to - *name);
}

/* Reads a table's alias, if it has one. */
static void read_alias(reading_t *reading) {
    bool named = is(reading, "as");
    if (named) next(reading);
    if (!is_name(reading) || (!named && (is(reading, "set") || is(reading, "using") || is(reading, "where") || is(reading, "returning")))) return;
    reading->row = reading->token;
    next(reading);
}

/* Skips to the comma that ends an element, or to the end of the list: a parenthesis that was opened before it, or a clause behind SET's. */
static void skip_element(reading_t *reading) {
    long depth = 0;
    bool distinct = false; /* IS DISTINCT FROM is no clause */
    for (; !at_end(reading); next(reading)) {
        if (depth == 0 && (closes(reading) || is_sign(reading, ',') || is(reading, "where") || is(reading, "returning"))) return;
        if (depth == 0 && is(reading, "from") && !distinct) return;
        distinct = is(reading, "distinct");
        depth += opens(reading);
        depth -= closes(reading);
    }
}

/* Reads a column that is assigned, with its subscripts and fields. Stops behind them. */
static void read_target(reading_t *reading) {
    add_column(reading, reading->token.start, reading->token.length);
    next(reading);
    for (long depth = 0; !at_end(reading); next(reading)) {
        if (depth == 0 && (closes(reading) || is_sign(reading, ',') || is_sign(reading, '='))) return;
        reading->fields |= depth == 0 && reading->token.kind == TOKEN_DOT;
        depth += opens(reading);
        depth -= closes(reading);
    }
}

/* Reads names with their subscripts and fields, from behind an opening parenthesis to behind the one that closes it. */
static void read_list(reading_t *reading) {
    while (is_name(reading)) {
        read_target(reading);
        skip_element(reading);
        if (!is_sign(reading, ',')) break;
        next(reading);
    }
    if (reading->token.kind == TOKEN_CLOSE) next(reading);
}

/* Reads the columns behind INSERT INTO and its table; without a list all are stored into. */
static void read_inserted(reading_t *reading) {
    if (reading->token.kind != TOKEN_OPEN) return add_every_column(reading);
    next(reading);
    if (is(reading, "select") || is(reading, "with") || is(reading, "values") || is(reading, "table") || !is_name(reading)) return add_every_column(reading);
    read_list(reading);
}

/* Reads the assignments behind SET. */
static void read_assigned(reading_t *reading) {
    for (;;) {
        if (reading->token.kind == TOKEN_OPEN) {
            next(reading);
            read_list(reading);
        } else if (is_name(reading)) {
            read_target(reading);
        } else {
            return;
        }
        skip_element(reading);
        if (!is_sign(reading, ',')) return;
        next(reading);
    }
}

static bool is_comparison(const reading_t *reading) { return is_sign(reading, '=') || is_sign(reading, '<') || is_sign(reading, '>') || is_sign(reading, '!'); }

static bool at_end_of_conditions(const reading_t *reading) { return at_end(reading) || closes(reading) || is(reading, "returning"); }

static bool is_row(const reading_t *reading) { return reading->token.length == reading->row.length && strncasecmp(reading->token.start, reading->row.start, reading->row.length) == 0; }

/* Reads a = $1, with or without the table's name or alias before the column. False: it is something else; stops within it. */
static bool read_comparison(reading_t *reading) {
    token_t column = reading->token;
    bool row = is_row(reading);
    if (!is_name(reading)) return false;
    for (next(reading); reading->token.kind == TOKEN_DOT; next(reading)) {
        next(reading);
        column = reading->token;
        row = false;
        if (!is_name(reading)) return false;
    }
    if (row || !is_comparison(reading)) return false;
    while (is_comparison(reading)) next(reading);
    if (!is_parameter(reading)) return false;
    add_column(reading, column.start, column.length);
    next(reading);
    return at_end_of_conditions(reading) || is(reading, "and");
}

/* Whether the conditions are such comparisons only. */
static bool read_comparisons(reading_t *reading) {
    while (read_comparison(reading)) {
        if (at_end_of_conditions(reading)) return true;
        next(reading);
    }
    return false;
}

/* Reads the conditions behind the table and its assignments: the columns that its rows are chosen by, and all columns if the conditions are more than
 * comparisons with parameters. */
static void read_conditions(reading_t *reading) {
    bool before = reading->parameters;
    reading->parameters = false;
    if (is(reading, "where")) next(reading);
    if (!read_comparisons(reading)) {
        bool closed = false; /* (a).b is a field */
        for (long depth = 0; depth > 0 ? !at_end(reading) : !at_end_of_conditions(reading); next(reading)) {
            reading->fields |= closed && reading->token.kind == TOKEN_DOT;
            closed = closes(reading);
            depth += opens(reading);
            depth -= closed;
        }
        if (reading->parameters) add_every_column(reading);
    }
    reading->parameters |= before;
}

/* Reads from behind INSERT; without INTO it is one of a MERGE. */
static void read_insert(reading_t *reading) {
    if (is(reading, "into")) {
        const char *name;
        next(reading);
        size_t length = read_table(reading, &name);
        if (length == 0) return;
        add_table(reading, name, length);
        if (is(reading, "as")) read_alias(reading); /* AS is not optional here */
        read_inserted(reading);
    } else if (reading->targets > 0 && (reading->token.kind == TOKEN_OPEN || is(reading, "values") || is(reading, "default"))) {
        read_inserted(reading);
    }
}

/* Reads from behind UPDATE; in ON CONFLICT and MERGE it has no table. FOR UPDATE has no SET. */
static void read_update(reading_t *reading) {
    const char *name = NULL;
    size_t length = is(reading, "set") ? 0 : read_table(reading, &name);
    if (length > 0) read_alias(reading);
    if (!is(reading, "set")) return;
    if (length > 0) add_table(reading, name, length);
    next(reading);
    if (reading->targets == 0) return;
    read_assigned(reading);
    read_conditions(reading);
}

/* Reads from behind DELETE; that of a MERGE has no FROM. */
static void read_delete(reading_t *reading) {
    const char *name;
    if (!is(reading, "from")) return;
    next(reading);
    size_t length = read_table(reading, &name);
    if (length == 0) return;
    add_table(reading, name, length);
    read_alias(reading);
    read_conditions(reading);
}

static void read_merge(reading_t *reading) {
    const char *name;
    if (!is(reading, "into")) return;
    next(reading);
    size_t length = read_table(reading, &name);
    if (length == 0) return;
    add_table(reading, name, length);
    add_every_column(reading); /* some of them choose its rows */
}

static void read_statement(reading_t *reading) {
    for (next(reading); !at_end(reading);) {
        bool insert = is(reading, "insert"), update = is(reading, "update"), merge = is(reading, "merge"), delete = is(reading, "delete");
        next(reading);
        if (insert) read_insert(reading);
        if (update) read_update(reading);
        if (merge) read_merge(reading);
        if (delete) read_delete(reading);
    }
}

stored_columns_t stored_columns_query(buffer_t *query, const char *sql, size_t length) {
    reading_t reading = {.scanner = scanner_of(sql, length), .columns = query, .empty = true, .memory = true};
    append(&reading, query, "SELECT ", 7);
    read_statement(&reading);
    bool stores = reading.parameters && !reading.empty;
    append(&reading, query, " FROM ", 6);
    if (stores) append(&reading, query, buffer_bytes(&reading.tables), buffer_size(&reading.tables));
    buffer_release(&reading.tables);
    return (stored_columns_t){.checked = stores && reading.memory, .fields = stores && reading.fields};
}
