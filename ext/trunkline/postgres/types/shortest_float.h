/* Single-precision floats in their shortest decimal notation. */
#ifndef TRUNKLINE_POSTGRES_SHORTEST_FLOAT_H
#define TRUNKLINE_POSTGRES_SHORTEST_FLOAT_H

/* The double nearest to the shortest decimal that denotes this float and no other: 1.1 for
 * 1.1f, as if the value had been sent as text. */
double shortest_float(float value);

#endif
