/* ALTER ... ADD CONSTRAINT ... CHECK (...) NOT VALID stores an expression, and does not compute it. */
#ifndef TRUNKLINE_JUDGE_CHECKS_H
#define TRUNKLINE_JUDGE_CHECKS_H

#include "judge.h"

/* Looks at the last token, behind what looks for calls. */
void judge_checks(judge_t *judge);

/* The text has ended: what was found in a constraint is decided. */
void judge_remaining_checks(judge_t *judge);

#endif
