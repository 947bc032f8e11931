/* Finds names of tables, views and types, operators and commands by which SQL runs functions that keep state without calling them. */
#ifndef TRUNKLINE_CLASSIFY_KEEPERS_H
#define TRUNKLINE_CLASSIFY_KEEPERS_H

#include "classifier.h"

/* Reads the last token. */
void classify_keepers(classifier_t *classifier);

/* Called at the end of the text: decides about names that count only if the statement writes. */
void classify_written_keepers(classifier_t *classifier);

#endif
