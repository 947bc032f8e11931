#include "histogram.h"

#define MICROSECONDS 1e6
#define FINE 4            /* buckets per doubling, and the number of the first ones, which are a microsecond wide; see HISTOGRAM_BUCKETS */
/* Durations in the buckets, which are halved then: a bound of what is remembered. A p99 is taken from the last 65,000 at least, of which 650 are longer. So
 * chance moves their number by 4 % (a standard deviation, the square root), and by 8 with a quarter, where a bucket is 14 to 25 % wide. With four times as
 * many, at 100 requests a second, the half from before a change counts for 44 minutes, and for 11 as it is. */
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
