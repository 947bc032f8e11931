/* Calls of functions that keep state, by each way in which SQL spells them: name(...), value.name, and alias.name. */
#ifndef TRUNKLINE_JUDGE_CALLS_H
#define TRUNKLINE_JUDGE_CALLS_H

#include "judge.h"

/* Looks at the last token. */
void judge_calls(judge_t *judge);

/* The text has ended: what was left open until now is decided. */
void judge_remaining_calls(judge_t *judge);

#endif
