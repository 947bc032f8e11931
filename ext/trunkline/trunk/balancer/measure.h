/* Measures service time and round-trip time by the answers. */
#ifndef TRUNKLINE_MEASURE_H
#define TRUNKLINE_MEASURE_H

#include "../requests/in_flight.h"

/* Called when the head, of which there must be one, is answered; before it is shifted. */
void measure_head(in_flight_t *in_flight, double now);

#endif
