/* Calls of functions that keep state, by each way in which SQL spells them: name(...), value.name, and alias.name. */
#ifndef TRUNKLINE_CLASSIFY_CALLS_H
#define TRUNKLINE_CLASSIFY_CALLS_H

#include "classifier.h"

/* Looks at the last token. */
void classify_calls(classifier_t *classifier);

/* The text has ended: what was left open until now is decided. */
void classify_remaining_calls(classifier_t *classifier);

#endif
