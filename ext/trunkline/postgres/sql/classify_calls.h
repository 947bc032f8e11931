/* Finds calls of functions that keep state, in each notation of SQL: name(...), value.name, and alias.name. */
#ifndef TRUNKLINE_CLASSIFY_CALLS_H
#define TRUNKLINE_CLASSIFY_CALLS_H

#include "classifier.h"

/* Reads the last token. */
void classify_calls(classifier_t *classifier);

/* Called at the end of the text: decides what is still open. */
void classify_remaining_calls(classifier_t *classifier);

#endif
