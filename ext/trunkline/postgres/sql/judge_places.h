/* Tables, schemas and views whose names make a difference to the session. */
#ifndef TRUNKLINE_JUDGE_PLACES_H
#define TRUNKLINE_JUDGE_PLACES_H

#include "judge.h"

/* Looks at the last token. */
void judge_places(judge_t *judge);

#endif
