#include "scanner.h"


static bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
static bool is_newline(char byte) { return byte == '\n' || byte == '\r'; }
static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static bool starts_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (unsigned char)byte >= 0x80;
}

/* The bytes of a name, and of the tag of a dollar quote, which has no dollar in it. */
static bool continues_tag(char byte) { return starts_name(byte) || is_digit(byte); }
static bool continues_name(char byte) { return continues_tag(byte) || byte == '$'; }

static char folded(char byte) { return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte; }

/* The byte so far ahead; behind the end zero, which no SQL contains. */
static char peek(const scanner_t *scanner, size_t ahead) {
    return ahead < (size_t)(scanner->end - scanner->at) ? scanner->at[ahead] : '\0';
}

scanner_t scanner_of(const char *sql, size_t length) { return (scanner_t){.at = sql, .end = sql + length}; }

static void skip_line(scanner_t *scanner) {
    while (scanner->at < scanner->end && !is_newline(*scanner->at)) scanner->at++;
}

/* Skips a comment; these can be nested. False: it does not end. */
static bool skip_comment(scanner_t *scanner) {
    size_t depth = 0;
    while (scanner->at < scanner->end) {
        bool opens = peek(scanner, 0) == '/' && peek(scanner, 1) == '*', closes = peek(scanner, 0) == '*' && peek(scanner, 1) == '/';
        scanner->at += opens || closes ? 2 : 1;
        depth += opens;
        depth -= closes;
        if (closes && depth == 0) return true;
    }
    return false;
}

/* False: a comment does not end. */
static bool skip_blanks(scanner_t *scanner) {
    for (;;) {
        char byte = peek(scanner, 0);
        if (is_space(byte)) {
            scanner->at++;
        } else if (byte == '-' && peek(scanner, 1) == '-') {
            skip_line(scanner);
        } else if (byte == '/' && peek(scanner, 1) == '*') {
            if (!skip_comment(scanner)) return false;
        } else {
            return true;
        }
    }
}

/* Skips from behind an opening quote to behind the closing one; a doubled one does not close. False: there is none. */
static bool skip_quoted(scanner_t *scanner, char quote) {
    while (scanner->at < scanner->end) {
        if (*scanner->at++ != quote) continue;
        if (peek(scanner, 0) != quote) return true;
        scanner->at++;
    }
    return false;
}

/* A string continues, by the rules of its beginning, if only blanks, at least one newline and comments up to a line's end are before the next quote. */
static bool skip_to_continuation(scanner_t *scanner) {
    scanner_t ahead = *scanner;
    bool line_ended = false;
    for (;;) {
        char byte = peek(&ahead, 0);
        if (is_space(byte)) {
            line_ended |= is_newline(byte);
            ahead.at++;
        } else if (byte == '-' && peek(&ahead, 1) == '-') {
            skip_line(&ahead);
        } else {
            break;
        }
    }
    if (!line_ended || peek(&ahead, 0) != '\'') return false;
    scanner->at = ahead.at + 1;
    return true;
}

/* Skips from behind the opening quote of a string with backslash escapes. */
static bool skip_escaped(scanner_t *scanner) {
    while (scanner->at < scanner->end) {
        char byte = *scanner->at++;
        if (byte == '\\') {
            if (scanner->at == scanner->end) return false;
            scanner->at++;
        } else if (byte == '\'') {
            if (peek(scanner, 0) == '\'') scanner->at++;
            else if (!skip_to_continuation(scanner)) return true;
        }
    }
    return false;
}

/* The length of the delimiter $tag$ that begins here; 0: none does. */
static size_t dollar_delimiter(const scanner_t *scanner) {
    size_t length = 1;
    if (starts_name(peek(scanner, 1))) while (continues_tag(peek(scanner, length))) length++;
    return peek(scanner, length) == '$' ? length + 1 : 0;
}

static bool skip_dollar_quoted(scanner_t *scanner, size_t delimiter) {
    const char *tag = scanner->at;
    for (scanner->at += delimiter; scanner->at < scanner->end; scanner->at++) {
        scanner->at = memchr(scanner->at, '$', (size_t)(scanner->end - scanner->at));
        if (!scanner->at || (size_t)(scanner->end - scanner->at) < delimiter) break;
        if (memcmp(scanner->at, tag, delimiter) != 0) continue;
        scanner->at += delimiter;
        return true;
    }
    scanner->at = scanner->end;
    return false;
}

/* A parameter, a string between dollars, or a dollar. */
static bool skip_dollar(scanner_t *scanner) {
    size_t delimiter = dollar_delimiter(scanner);
    if (delimiter > 0) return skip_dollar_quoted(scanner, delimiter);
    scanner->at++;
    while (is_digit(peek(scanner, 0))) scanner->at++;
    return true;
}

static void skip_number(scanner_t *scanner) {
    while (is_digit(peek(scanner, 0))) scanner->at++;
}

static token_kind_t read_word(scanner_t *scanner, token_t *token) {
    name_t name = name_into(token->name);
    for (; continues_name(peek(scanner, 0)); scanner->at++) name_add(&name, folded(*scanner->at));
    token->name_length = name_finish(&name);
    return TOKEN_WORD;
}

static token_kind_t read_quoted(scanner_t *scanner, token_t *token) {
    const char *from = ++scanner->at;
    if (!skip_quoted(scanner, '"')) return TOKEN_BROKEN;
    name_t name = name_into(token->name);
    for (const char *at = from; at < scanner->at - 1; at++) {
        name_add(&name, *at);
        if (*at == '"') at++;
    }
    token->name_length = name_finish(&name);
    return TOKEN_QUOTED;
}

/* Whether this keyword, given in lower case, begins here. Does not scan what is behind it. */
static bool at_keyword(const scanner_t *scanner, const char *word) {
    size_t length = 0;
    for (; word[length]; length++) {
        if (folded(peek(scanner, length)) != word[length]) return false;
    }
    return !continues_name(peek(scanner, length));
}

/* The escape character of UESCAPE behind a quoted name; a backslash without UESCAPE; 0: it is invalid or not a plain string. */
static char read_uescape(scanner_t *scanner) {
    static const char keyword[] = "uescape";
    scanner_t ahead = *scanner;
    if (!skip_blanks(&ahead) || !at_keyword(&ahead, keyword)) return '\\';
    ahead.at += strlen(keyword);
    if (!skip_blanks(&ahead) || peek(&ahead, 0) != '\'' || peek(&ahead, 2) != '\'' || !unicode_escape_ok(peek(&ahead, 1))) return '\0';
    char escape = peek(&ahead, 1);
    ahead.at += 3;
    *scanner = ahead;
    return escape;
}

static token_kind_t read_unicode_quoted(scanner_t *scanner, token_t *token) {
    scanner->at += 3;
    const char *from = scanner->at;
    if (!skip_quoted(scanner, '"')) return TOKEN_BROKEN;
    size_t length = (size_t)(scanner->at - 1 - from);
    char escape = read_uescape(scanner);
    name_t name = name_into(token->name);
    if (!escape || !unicode_unescape(&name, from, length, escape)) return TOKEN_BROKEN;
    token->name_length = name_finish(&name);
    return TOKEN_QUOTED;
}

static token_kind_t other_if(bool whole) { return whole ? TOKEN_OTHER : TOKEN_BROKEN; }

/* A letter directly before a quote determines the kind of the quote. */
static token_kind_t read_letters(scanner_t *scanner, token_t *token) {
    char letter = folded(peek(scanner, 0)), next = peek(scanner, 1);
    bool unicode = letter == 'u' && next == '&';
    if (unicode && peek(scanner, 2) == '"') return read_unicode_quoted(scanner, token);
    if (unicode && peek(scanner, 2) == '\'') {
        scanner->at += 3;
        return other_if(skip_quoted(scanner, '\''));
    }
    if (next == '\'' && letter == 'e') {
        scanner->at += 2;
        return other_if(skip_escaped(scanner));
    }
    if (next == '\'' && (letter == 'b' || letter == 'x' || letter == 'n')) {
        scanner->at += 2;
        return other_if(skip_quoted(scanner, '\''));
    }
    return read_word(scanner, token);
}

static token_kind_t read_sign(scanner_t *scanner) {
    switch (*scanner->at++) {
    case '(': return TOKEN_OPEN;
    case ')': return TOKEN_CLOSE;
    case '.': return TOKEN_DOT;
    case ';': return TOKEN_SEMICOLON;
    case '\'': return other_if(skip_quoted(scanner, '\''));
    default: return TOKEN_OTHER;
    }
}

static token_kind_t read_token(scanner_t *scanner, token_t *token) {
    if (scanner->at == scanner->end) return TOKEN_END;
    char byte = *scanner->at;
    if (starts_name(byte)) return read_letters(scanner, token);
    if (byte == '"') return read_quoted(scanner, token);
    if (byte == '$') return other_if(skip_dollar(scanner));
    if (is_digit(byte)) return skip_number(scanner), TOKEN_OTHER;
    return read_sign(scanner);
}

void scanner_next(scanner_t *scanner, token_t *token) {
    const char *before = scanner->at;
    bool whole = skip_blanks(scanner);
    token->start = whole ? scanner->at : before;
    token->name_length = 0;
    token->kind = whole ? read_token(scanner, token) : TOKEN_BROKEN;
    token->length = (size_t)(scanner->at - token->start);
    if (token->kind == TOKEN_BROKEN) scanner->at = scanner->end = token->start;
}
