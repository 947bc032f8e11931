#include "error_fields.h"

#include <ruby/encoding.h>
#include <stdbool.h>
#include <string.h>
#include "../../bytes/big_endian.h"
#include "../../common/classes.h"

#define MOST_DIGITS 18 /* digits of a position or line that fits a long */

typedef enum {
    UNKNOWN, SEVERITY, SQLSTATE, MESSAGE, DETAIL, HINT, POSITION, INTERNAL_POSITION, INTERNAL_QUERY, WHERE, SCHEMA, TABLE, COLUMN, DATATYPE,
    CONSTRAINT, FILE_NAME, LINE, ROUTINE, KINDS,
} kind_t;

static const char *const names[KINDS] = {
    NULL, "severity", "sqlstate", "message", "detail", "hint", "position", "internal_position", "internal_query", "where", "schema", "table",
    "column", "datatype", "constraint", "file", "line", "routine",
};

static VALUE symbols[KINDS];
static ID id_scrub;

static kind_t kind_of(char letter) {
    switch (letter) {
    case 'V': return SEVERITY; /* the untranslated one; for 'S' see read_parts */
    case 'C': return SQLSTATE;
    case 'M': return MESSAGE;
    case 'D': return DETAIL;
    case 'H': return HINT;
    case 'P': return POSITION;
    case 'p': return INTERNAL_POSITION;
    case 'q': return INTERNAL_QUERY;
    case 'W': return WHERE;
    case 's': return SCHEMA;
    case 't': return TABLE;
    case 'c': return COLUMN;
    case 'd': return DATATYPE;
    case 'n': return CONSTRAINT;
    case 'F': return FILE_NAME;
    case 'L': return LINE;
    case 'R': return ROUTINE;
    default: return UNKNOWN;
    }
}

typedef struct {
    const char *text;
    size_t length;
} span_t;

/* A server that fails before it knows the client's encoding may send text that is not UTF-8. The function rb_str_scrub would yield to the block that
 * `each` was given. */
static VALUE text_of(span_t span) {
    VALUE text = rb_utf8_str_new(span.text, (long)span.length);
    if (rb_enc_str_coderange(text) != ENC_CODERANGE_BROKEN) return text;
    return rb_funcallv(text, id_scrub, 0, NULL);
}

static VALUE number_of(span_t span) {
    long number = 0;
    if (span.length == 0 || span.length > MOST_DIGITS) return text_of(span);
    for (size_t at = 0; at < span.length; at++) {
        if (span.text[at] < '0' || span.text[at] > '9') return text_of(span);
        number = number * 10 + (span.text[at] - '0');
    }
    return LONG2NUM(number);
}

static bool is_numeric(kind_t kind) { return kind == POSITION || kind == INTERNAL_POSITION || kind == LINE; }

/* The fields of a body: of each kind the last one. */
typedef struct {
    uint32_t kinds; /* a bit for each kind that is there */
    span_t spans[KINDS];
} parts_t;

static bool has(const parts_t *parts, kind_t kind) { return (parts->kinds >> kind) & 1; }

static void take(parts_t *parts, kind_t kind, span_t span) {
    parts->kinds |= UINT32_C(1) << kind;
    parts->spans[kind] = span;
}

/* Lenient, as part of an error is better than none: unknown fields are left out, and a missing end is accepted. */
static void read_parts(parts_t *parts, const char *body, size_t length) {
    span_t translated = {NULL, 0};
    parts->kinds = 0;
    for (size_t at = 0; at < length;) {
        char letter = body[at++];
        if (letter == 0) continue;
        const char *end = memchr(body + at, 0, length - at);
        span_t span = {body + at, end ? (size_t)(end - body) - at : length - at};
        at += span.length + 1;
        kind_t kind = kind_of(letter);
        if (letter == 'S') translated = span;
        if (kind != UNKNOWN) take(parts, kind, span);
    }
    if (translated.text && !has(parts, SEVERITY)) take(parts, SEVERITY, translated);
}

/* The fields of the previous notice, on the stack. Most notices of a flood are the same, and a copy of that Hash takes less time than a new one:
 * 100,000 notices are yielded in 0.10 s of processor time, and in 0.13 with new ones. */
typedef struct {
    VALUE fields; /* Hash that is yielded as copies only; nil before the first notice */
    uint32_t kinds;
    VALUE values[KINDS];
} last_t;

static bool is_same(VALUE value, span_t span) {
    return RB_TYPE_P(value, T_STRING) && (size_t)RSTRING_LEN(value) == span.length && memcmp(RSTRING_PTR(value), span.text, span.length) == 0;
}

static VALUE value_of(kind_t kind, span_t span) { return is_numeric(kind) ? number_of(span) : text_of(span); }

static VALUE next_fields(last_t *last, const char *body, size_t length) {
    parts_t parts;
    read_parts(&parts, body, length);
    bool anew = NIL_P(last->fields) || parts.kinds != last->kinds;
    if (anew) last->fields = rb_hash_new();
    last->kinds = parts.kinds;
    for (kind_t kind = UNKNOWN + 1; kind < KINDS; kind++) {
        if (!has(&parts, kind)) continue;
        VALUE before = last->values[kind];
        if (!is_same(before, parts.spans[kind])) last->values[kind] = rb_obj_freeze(value_of(kind, parts.spans[kind]));
        if (anew || last->values[kind] != before) rb_hash_aset(last->fields, symbols[kind], last->values[kind]);
    }
    return rb_hash_dup(last->fields);
}

void notices_add(VALUE *notices, const char *body, size_t length) {
    char head[NOTICE_HEAD];
    write_u32(head, (uint32_t)length);
    if (NIL_P(*notices)) *notices = rb_str_buf_new(NOTICE_HEAD + (long)length);
    rb_str_cat(*notices, head, NOTICE_HEAD);
    rb_str_cat(*notices, body, (long)length);
}

/* call-seq: ErrorFields.parse(bytes) -> Hash
 *
 * bytes: letter, text, NUL; letter, text, NUL; ... NUL. What is not UTF-8 is replaced. Returns {Symbol => String, Integer}, see
 * ServerError#fields: positions and line are Integers; the severity is the untranslated one where the server sends it (since 9.6). */
static VALUE parse(VALUE self, VALUE bytes) {
    StringValue(bytes);
    VALUE fields = rb_hash_new();
    parts_t parts;
    read_parts(&parts, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    for (kind_t kind = UNKNOWN + 1; kind < KINDS; kind++) {
        if (has(&parts, kind)) rb_hash_aset(fields, symbols[kind], value_of(kind, parts.spans[kind]));
    }
    RB_GC_GUARD(bytes);
    return fields;
}

/* call-seq: ErrorFields.append(notices, bytes) -> notices
 *
 * notices: String of stored notices, or nil. */
static VALUE append(VALUE self, VALUE notices, VALUE bytes) {
    StringValue(bytes);
    notices_add(&notices, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    RB_GC_GUARD(bytes);
    return notices;
}

void notices_each(VALUE notices, long *at) {
    last_t last = {.fields = Qnil};
    for (int kind = 0; kind < KINDS; kind++) last.values[kind] = Qnil;
    long end = RSTRING_LEN(notices);
    while (end - *at >= NOTICE_HEAD && RSTRING_LEN(notices) >= end) {
        const char *head = RSTRING_PTR(notices) + *at;
        long length = (long)read_u32(head), rest = end - *at - NOTICE_HEAD;
        if (length > rest) rb_raise(rb_eArgError, "no String of notices");
        *at += NOTICE_HEAD + length;
        rb_yield(next_fields(&last, head + NOTICE_HEAD, (size_t)length));
    }
    RB_GC_GUARD(notices);
}

/* call-seq: ErrorFields.each(notices) { |fields| ... } -> nil
 *
 * notices: String of stored notices. Each is parsed when it is yielded. The Strings are frozen; values that are the same as in the previous notice
 * are the same objects. */
static VALUE each(VALUE self, VALUE notices) {
    long at = 0;
    notices_each(StringValue(notices), &at);
    return Qnil;
}

void Init_trunkline_error_fields(void) {
    for (int kind = UNKNOWN + 1; kind < KINDS; kind++) symbols[kind] = ID2SYM(rb_intern(names[kind]));
    id_scrub = rb_intern("scrub");
    VALUE module = rb_define_module_under(mTrunklinePostgres, "ErrorFields");
    rb_define_singleton_method(module, "parse", parse, 1);
    rb_define_singleton_method(module, "append", append, 2);
    rb_define_singleton_method(module, "each", each, 1);
}
