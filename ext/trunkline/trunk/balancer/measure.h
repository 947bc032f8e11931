/* What an answer tells of how long the server needs, and how far away it is. */
#ifndef TRUNKLINE_MEASURE_H
#define TRUNKLINE_MEASURE_H

#include "../core/in_flight.h"

/* The oldest one in flight, of which there must be one, is answered. */
void measure(in_flight_t *in_flight, double now);

#endif
