#include "histogram.h"

#define MICROSECONDS 1e6
#define FINE 4            /* buckets per doubling, and the number of the first ones, which are a microsecond wide */
#define MOST_HELD (1 << 17)

static unsigned bucket_of(double seconds) {
    double microseconds = seconds * MICROSECONDS;
    if (!(microseconds >= FINE)) return microseconds >= 0 ? (unsigned)microseconds : 0;
    if (microseconds >= (double)(1ull << 27)) return HISTOGRAM_BUCKETS - 1;
    uint64_t whole = (uint64_t)microseconds;
    unsigned doublings = 63 - (unsigned)__builtin_clzll(whole);
    unsigned bucket = (doublings - 1) * FINE + (unsigned)((whole >> (doublings - 2)) & (FINE - 1));
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* The middle of the bucket. */
static double duration_of(unsigned bucket) {
    if (bucket < FINE) return (bucket + 0.5) / MICROSECONDS;
    unsigned doublings = bucket / FINE + 1;
    uint64_t width = 1ull << (doublings - 2);
    return ((double)((FINE + bucket % FINE) * width) + (double)width / 2) / MICROSECONDS;
}

static void halve(histogram_t *histogram) {
    histogram->held = 0;
    for (unsigned at = 0; at < HISTOGRAM_BUCKETS; at++) histogram->held += histogram->buckets[at] /= 2;
}

void histogram_add(histogram_t *histogram, double seconds) {
    if (!(seconds >= 0)) seconds = 0;
    histogram->count++;
    histogram->sum += seconds;
    histogram->buckets[bucket_of(seconds)]++;
    if (++histogram->held == MOST_HELD) halve(histogram);
}

double histogram_quantile(const histogram_t *histogram, double part) {
    double wanted = part * histogram->held, seen = 0;
    if (histogram->held == 0) return 0;
    for (unsigned at = 0; at < HISTOGRAM_BUCKETS; at++) {
        seen += histogram->buckets[at];
        if (seen >= wanted && seen > 0) return duration_of(at);
    }
    return duration_of(HISTOGRAM_BUCKETS - 1);
}
