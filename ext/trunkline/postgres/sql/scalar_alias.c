#include "scalar_alias.h"

#include "sql_lists.h"

/* Nested parentheses that are distinguished, a bit for each; deeper ones count as those of calls in FROM. Of 644 statements of the tests and 3,969
 * that come with PostgreSQL 3 are classed otherwise with 1, none with 2. */
#define DEEPEST 63

typedef struct {
    const scalar_aliases_t *aliases;
    token_t token, before, earlier; /* the last one, and those before it */
    long depth;
    uint64_t call; /* by depth: the parenthesis belongs to a call */
    uint64_t from; /* by depth: in a FROM clause, judged by keywords */
    bool closed_call; /* the last token ends a call, or is a call without parentheses, or is AS behind one */
    bool related;  /* the present name is a table's, with a list of columns behind it */
    size_t called; /* index of the suspect that is called; the number of suspects: none so far */
} search_t;

bool scalar_aliases_suspect(scalar_aliases_t *aliases, const token_t *alias, size_t at, size_t length) {
    for (size_t known = 0; known < aliases->count; known++) {
        if (aliases->suspects[known].alias_length == alias->name_length &&
            memcmp(aliases->suspects[known].alias, alias->name, alias->name_length) == 0) return true;
    }
    if (aliases->count == SCALAR_ALIASES_MOST) return false;
    memcpy(aliases->suspects[aliases->count].alias, alias->name, alias->name_length);
    aliases->suspects[aliases->count].alias_length = alias->name_length;
    aliases->suspects[aliases->count].at = at;
    aliases->suspects[aliases->count].length = length;
    aliases->count++;
    return true;
}

static bool is_name(const token_t *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }

static bool is_any(const token_t *token, const char *const *words) {
    for (; *words; words++) {
        if (token_is(token, *words)) return true;
    }
    return false;
}

static uint64_t bit(const search_t *search) { return UINT64_C(1) << (search->depth < 0 ? 0 : search->depth > DEEPEST ? DEEPEST : search->depth); }

static void call_if_suspected(search_t *search, const token_t *name) {
    for (size_t at = 0; at < search->aliases->count; at++) {
        if (search->aliases->suspects[at].alias_length != name->name_length) continue;
        if (memcmp(search->aliases->suspects[at].alias, name->name, name->name_length) == 0) search->called = at;
    }
}

/* Whether the parenthesis belongs to a call, and not to a query, a join or a list. */
static bool is_calls(const search_t *search) {
    static const char *const others[] = {"from", "join", "lateral", "only", "using", "as", "select", "in", "values", "where", "and", "or", NULL};
    if (token_is(&search->before, "from")) return token_is(&search->earlier, "rows");
    return is_name(&search->before) && !is_any(&search->before, others);
}

/* Without an alias, a call's name is the function's; these have another one, or a type's. */
static bool has_other_name(const token_t *name) {
    static const char *const words[] = {"cast", "treat", "trim", "for", NULL};
    return is_any(name, words);
}

static void open_parenthesis(search_t *search) {
    bool calls = is_calls(search), in_from = (search->from & bit(search)) != 0;
    if (calls && !search->related) {
        call_if_suspected(search, &search->before);
        if (in_from && has_other_name(&search->before)) search->called = 0;
    }
    search->depth++;
    if (search->depth >= DEEPEST) calls = in_from = true;
    search->call = calls ? search->call | bit(search) : search->call & ~bit(search);
    search->from = in_from ? search->from | bit(search) : search->from & ~bit(search);
}

static bool close_parenthesis(search_t *search) {
    bool call = (search->call & bit(search)) != 0;
    search->depth--;
    return call;
}

static void follow_clauses(search_t *search) {
    static const char *const begins[] = {"from", "join", "using", NULL};
    static const char *const ends[] = {"select", "where", "group", "order", "having", "set", "returning", "values", NULL};
    if (is_any(&search->token, begins)) search->from |= bit(search);
    else if (is_any(&search->token, ends)) search->from &= ~bit(search);
}

/* INSERT INTO name (columns), WITH name (columns), ... AS name (columns), (...) name (columns). */
static void follow_name(search_t *search) {
    static const char *const relations[] = {"into", "with", "recursive", "as", NULL};
    if (search->before.kind == TOKEN_DOT) return;
    search->related = search->before.kind == TOKEN_CLOSE || is_any(&search->before, relations);
}

static void check_token(search_t *search) {
    bool closed_call = search->closed_call;
    search->closed_call = false;
    switch (search->token.kind) {
    case TOKEN_OPEN: open_parenthesis(search); break;
    case TOKEN_CLOSE: search->closed_call = close_parenthesis(search); break;
    case TOKEN_WORD: case TOKEN_QUOTED:
        if (closed_call) call_if_suspected(search, &search->token);
        follow_clauses(search);
        follow_name(search);
        search->closed_call = closed_call && token_is(&search->token, "as");
        if (search->token.kind == TOKEN_WORD && is_value_word(search->token.name, search->token.name_length)) {
            search->closed_call = true;
            if (search->from & bit(search)) call_if_suspected(search, &search->token);
        }
        break;
    default: break;
    }
}

bool scalar_aliases_called(const scalar_aliases_t *aliases, const char *sql, size_t size, size_t *at, size_t *length) {
    if (aliases->count == 0) return false;
    search_t search = {.aliases = aliases, .called = aliases->count};
    scanner_t scanner = scanner_of(sql, size);
    do {
        search.earlier = search.before;
        search.before = search.token;
        scanner_next(&scanner, &search.token);
        check_token(&search);
    } while (search.called == aliases->count && search.token.kind != TOKEN_END && search.token.kind != TOKEN_BROKEN);
    if (search.called == aliases->count) return false;
    *at = aliases->suspects[search.called].at;
    *length = aliases->suspects[search.called].length;
    return true;
}
