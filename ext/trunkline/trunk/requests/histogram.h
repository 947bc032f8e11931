/* A histogram of recent durations. From a microsecond to a minute the buckets are a quarter of a doubling wide, so a quantile is exact to an eighth. */
#ifndef TRUNKLINE_HISTOGRAM_H
#define TRUNKLINE_HISTOGRAM_H

#include <stdint.h>

/* 4 for each doubling from 2 to 2^27 microseconds, 134 s: 416 bytes of each statement. With 8 a quantile is exact to a sixteenth, in 832 bytes. */
#define HISTOGRAM_BUCKETS 104

typedef struct {
    uint64_t count; /* of all durations ever */
    double sum;     /* of all durations ever, in seconds */
    uint32_t held;  /* durations in the buckets: the last hundred thousand or so, older ones with decreasing weight */
    uint32_t buckets[HISTOGRAM_BUCKETS];
} histogram_t;

/* Adds a duration. */
void histogram_add(histogram_t *histogram, double seconds);

/* The quantile, in seconds: durations up to it make up this part of all, from 0 to 1; 0 without durations. */
double histogram_quantile(const histogram_t *histogram, double part);

/* The mean in seconds; 0 without durations. */
static inline double histogram_mean(const histogram_t *histogram) {
    return histogram->count ? histogram->sum / (double)histogram->count : 0;
}

#endif
