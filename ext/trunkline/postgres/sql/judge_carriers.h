/* Names of tables, views and types, operators and commands, by which SQL reaches functions that keep state without calling them. */
#ifndef TRUNKLINE_JUDGE_CARRIERS_H
#define TRUNKLINE_JUDGE_CARRIERS_H

#include "judge.h"

/* Looks at the last token. */
void judge_carriers(judge_t *judge);

/* The text has ended: what counts only where a statement writes is decided. */
void judge_written_carriers(judge_t *judge);

#endif
