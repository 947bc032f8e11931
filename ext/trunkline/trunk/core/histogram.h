/* How often which durations have come of late. From a microsecond to a minute the buckets are a quarter of a doubling wide, so
 * that a quantile is true to an eighth. */
#ifndef TRUNKLINE_HISTOGRAM_H
#define TRUNKLINE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 104

typedef struct {
    uint64_t count; /* of all durations ever */
    double sum;     /* theirs, in seconds */
    uint32_t held;  /* of those in the buckets: the last hundred thousand or so, older ones counting less and less */
    uint32_t buckets[HISTOGRAM_BUCKETS];
} histogram_t;

/* One more duration. */
void histogram_add(histogram_t *histogram, double seconds);

/* Seconds that this part of the durations, from 0 to 1, did not exceed; 0 where there were none. */
double histogram_quantile(const histogram_t *histogram, double part);

/* Seconds on average; 0 where there were none. */
static inline double histogram_mean(const histogram_t *histogram) {
    return histogram->count ? histogram->sum / (double)histogram->count : 0;
}

#endif
