/* Names of tables, views and types, operators and commands, by which SQL reaches functions that keep state without calling them. */
#ifndef TRUNKLINE_CLASSIFY_KEEPERS_H
#define TRUNKLINE_CLASSIFY_KEEPERS_H

#include "classifier.h"

/* Looks at the last token. */
void classify_keepers(classifier_t *classifier);

/* The text has ended: what counts only where a statement writes is decided. */
void classify_written_keepers(classifier_t *classifier);

#endif
