#include "named_parameters.h"

/* SQL with parameters such as :name -> the same with $1, $2, ... */
#include <ruby.h>
#include <ruby/encoding.h>
#include "scanner.h"
#include "../../common/classes.h"

typedef struct {
    VALUE text, numbers; /* the text so far; Hash of the parameters' numbers by their names, in the order of the numbers */
    const char *copied;        /* up to here the SQL is copied to the text */
    const char *colon;         /* the last token, if it is a colon that a name may follow; else NULL */
    bool bound;                /* that colon directly follows a token that may end the lower bound of a slice */
    const char *ended;         /* end of the last token */
    bool operand;              /* the last token may end an operand */
    size_t brackets;           /* open brackets */
    bool certain;              /* a name was found where no slice can be: then the server cannot parse the SQL as it is */
} named_t;

static bool is_sign(const token_t *token, char sign) { return token->kind == TOKEN_OTHER && token->length == 1 && *token->start == sign; }

static bool is_numbered(const token_t *token) {
    return token->kind == TOKEN_OTHER && token->length > 1 && token->start[0] == '$' && token->start[1] >= '0' && token->start[1] <= '9';
}

/* Whether a token may end an operand: a word, a number, a string, or a closing sign. Behind it, within a subscript, a colon is that of a slice. */
static bool ends_operand(const token_t *token) {
    if (token->kind != TOKEN_OTHER) return token->kind != TOKEN_OPEN && token->kind != TOKEN_DOT && token->kind != TOKEN_SEMICOLON;
    char first = *token->start;
    return token->length > 1 || first == ']' || (first >= '0' && first <= '9');
}

/* Whether the word directly follows a colon that is neither part of a cast nor of a slice, as in a[1:n]. */
static bool is_name(const named_t *named, const token_t *token) {
    if (token->kind != TOKEN_WORD || !named->colon || named->colon + 1 != token->start) return false;
    return !(named->brackets > 0 && named->bound);
}

static VALUE number_of(VALUE numbers, const token_t *token) {
    VALUE name = rb_str_intern(rb_enc_str_new(token->start, (long)token->length, rb_utf8_encoding()));
    VALUE number = rb_hash_aref(numbers, name);
    if (!NIL_P(number)) return number;
    number = LONG2NUM((long)RHASH_SIZE(numbers) + 1);
    rb_hash_aset(numbers, name, number);
    return number;
}

static void replace(named_t *named, const token_t *token) {
    rb_str_cat(named->text, named->copied, named->colon - named->copied);
    rb_str_catf(named->text, "$%ld", NUM2LONG(number_of(named->numbers, token)));
    named->copied = token->start + token->length;
    named->certain |= named->brackets == 0;
}

static void note(named_t *named, const token_t *token) {
    if (is_sign(token, '[')) named->brackets++;
    if (is_sign(token, ']') && named->brackets > 0) named->brackets--;
    bool cast = named->colon && named->colon + 1 == token->start;
    named->colon = is_sign(token, ':') && !cast ? token->start : NULL;
    named->bound = named->operand && named->ended == token->start;
    named->operand = ends_operand(token);
    named->ended = token->start + token->length;
}

/* call-seq: Postgres.named_parameters(sql) -> Array or nil
 *
 * For SQL, valid UTF-8 without zero bytes, with parameters such as :name: the same SQL with $1 and so on in their place; an Array of the names,
 * Symbols, in the order of these numbers; and whether the server certainly cannot parse the original, as it can a[:n]. Nil: it has no such
 * parameters, or has $1 and the like itself, or cannot be parsed. */
static VALUE named_parameters(VALUE module, VALUE sql) {
    Check_Type(sql, T_STRING);
    sql = rb_str_new_frozen(sql);
    scanner_t scanner = scanner_of(RSTRING_PTR(sql), (size_t)RSTRING_LEN(sql));
    named_t named = {.text = rb_enc_str_new(NULL, 0, rb_utf8_encoding()), .numbers = rb_hash_new(), .copied = RSTRING_PTR(sql)};
    token_t token;
    for (scanner_next(&scanner, &token); token.kind != TOKEN_END; scanner_next(&scanner, &token)) {
        if (token.kind == TOKEN_BROKEN || is_numbered(&token)) return Qnil;
        if (is_name(&named, &token)) replace(&named, &token);
        note(&named, &token);
    }
    if (RHASH_SIZE(named.numbers) == 0) return Qnil;
    rb_str_cat(named.text, named.copied, RSTRING_END(sql) - named.copied);
    RB_GC_GUARD(sql);
    return rb_ary_new_from_args(3, rb_str_freeze(named.text), rb_ary_freeze(rb_funcall(named.numbers, rb_intern("keys"), 0)), RBOOL(named.certain));
}

void Init_trunkline_named_parameters(void) { rb_define_module_function(mTrunklinePostgres, "named_parameters", named_parameters, 1); }
