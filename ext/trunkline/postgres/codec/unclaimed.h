/* Trunkline::Postgres::UnclaimedAnswers: one for a client. The bytes of the answers of futures whose values no caller has asked for.
 *
 * The sum is counted by references, as the object and the requests that count may be freed in any order. Nothing here runs Ruby. */
#ifndef TRUNKLINE_UNCLAIMED_H
#define TRUNKLINE_UNCLAIMED_H

#include <ruby.h>

typedef struct unclaimed_sum {
    size_t bytes;
    size_t references;
} unclaimed_sum_t;

/* What one request has added. */
typedef struct {
    unclaimed_sum_t *sum; /* one reference of it; NULL: its answer is not counted */
    size_t bytes;
} unclaimed_t;

/* The answer is counted from now on by the UnclaimedAnswers; raises TypeError where it is something else. */
void unclaimed_begin(unclaimed_t *unclaimed, VALUE answers);

/* A row of so many bytes has come. */
static inline void unclaimed_add(unclaimed_t *unclaimed, size_t bytes) {
    if (!unclaimed->sum) return;
    unclaimed->bytes += bytes;
    unclaimed->sum->bytes += bytes;
}

/* The answer is not counted from now on: it was asked for, or is freed. */
void unclaimed_end(unclaimed_t *unclaimed);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_unclaimed(void);

#endif
