/* Trunkline::Postgres::UnaskedAnswers: one for a client. The bytes of the answers of futures whose values no caller has asked for.
 *
 * The sum is counted by references, as the object and the requests that count may be freed in any order. Nothing here runs Ruby. */
#ifndef TRUNKLINE_UNASKED_H
#define TRUNKLINE_UNASKED_H

#include <ruby.h>

typedef struct unasked_sum {
    size_t bytes;
    size_t references;
} unasked_sum_t;

/* What one request has added. */
typedef struct {
    unasked_sum_t *sum; /* one reference of it; NULL: its answer is not counted */
    size_t bytes;
} unasked_t;

/* A row of so many bytes has come. */
static inline void unasked_add(unasked_t *unasked, size_t bytes) {
    if (!unasked->sum) return;
    unasked->bytes += bytes;
    unasked->sum->bytes += bytes;
}

/* The answer is not counted from now on: it was asked for, or is freed. */
void unasked_end(unasked_t *unasked);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_unasked(void);

#endif
