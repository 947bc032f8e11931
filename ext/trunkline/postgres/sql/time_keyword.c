#include "time_keyword.h"

#include <strings.h>

#define LONGEST_WORD 9 /* letters of "yesterday" */

typedef struct {
    const char *at, *end;
    bool escapes; /* with backslashes */
} letters_t;

static bool is_letter(int byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

static int digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

/* Reads at most so many digits of this base, and returns the character with that code. */
static int numbered(letters_t *letters, int base, int most) {
    int value = 0;
    while (most-- > 0 && letters->at < letters->end && digit(*letters->at) < base) value = (value * base + digit(*letters->at++)) & 0xFFFFFF;
    return value;
}

/* The next character, one byte, with backslash escapes resolved. */
static int next(letters_t *letters) {
    char byte = *letters->at++;
    if (!letters->escapes || byte != '\\' || letters->at == letters->end) return (unsigned char)byte;
    byte = *letters->at++;
    switch (byte) {
    case 'x': return numbered(letters, 16, 2);
    case 'u': return numbered(letters, 16, 4);
    case 'U': return numbered(letters, 16, 8);
    case 'b': case 'f': case 'n': case 'r': case 't': return ' ';
    default: break;
    }
    if (digit(byte) >= 8) return (unsigned char)byte;
    letters->at--;
    return numbered(letters, 8, 3);
}

static bool is_moment(const char *word, size_t length) {
    static const char *const words[] = {"now", "today", "tomorrow", "yesterday"};
    for (size_t at = 0; at < sizeof words / sizeof *words; at++) {
        if (strlen(words[at]) == length && strncasecmp(words[at], word, length) == 0) return true;
    }
    return false;
}

static bool has_moment(letters_t letters) {
    char word[LONGEST_WORD];
    size_t length = 0;
    while (letters.at < letters.end) {
        int byte = next(&letters);
        if (is_letter(byte)) {
            if (length < LONGEST_WORD) word[length] = (char)byte;
            length++;
            continue;
        }
        if (length <= LONGEST_WORD && is_moment(word, length)) return true;
        length = 0;
    }
    return length <= LONGEST_WORD && is_moment(word, length);
}

static bool is_string(const token_t *token) {
    char first = token->length > 0 ? *token->start : '\0';
    if (token->kind != TOKEN_OTHER || token->length < 2) return false;
    return first == '\'' || first == '$' || token->start[1] == '\'' || token->start[1] == '&';
}

bool time_keyword_in(const token_t *token, const token_t *before) {
    if (!is_string(token)) return false;
    if (token->start[1] == '&') return true;
    bool plain = *token->start == '\'', continued = plain && is_string(before) && before->start[before->length - 1] == '\'';
    bool escaped = (*token->start | 0x20) == 'e';
    return continued || has_moment((letters_t){token->start + 1, token->start + token->length, escaped});
}
