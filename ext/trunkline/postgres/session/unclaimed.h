/* Trunkline::Postgres::UnclaimedAnswers: one per client. Counts the bytes of the answers of futures whose values no caller has fetched.
 *
 * The sum has a reference count, as the object and the requests that count may be freed in any order. Nothing here runs Ruby. */
#ifndef TRUNKLINE_UNCLAIMED_H
#define TRUNKLINE_UNCLAIMED_H

#include <ruby.h>

typedef struct unclaimed_sum {
    size_t bytes;
    size_t references;
} unclaimed_sum_t;

/* One request's part of the sum. */
typedef struct {
    unclaimed_sum_t *sum; /* one reference to it; NULL: the answer is not counted */
    size_t bytes;
} unclaimed_t;

/* Counts the answer in the UnclaimedAnswers from now on; raises TypeError for an object of another class. */
void unclaimed_begin(unclaimed_t *unclaimed, VALUE answers);

/* Adds a row of so many bytes. */
static inline void unclaimed_add(unclaimed_t *unclaimed, size_t bytes) {
    if (!unclaimed->sum) return;
    unclaimed->bytes += bytes;
    unclaimed->sum->bytes += bytes;
}

/* Stops counting the answer: a caller has fetched it, or it is freed. */
void unclaimed_end(unclaimed_t *unclaimed);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_unclaimed(void);

#endif
