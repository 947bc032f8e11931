/* Classifies a statement: what it needs of, and leaves in, its session, and so whether others may share that. */
#ifndef TRUNKLINE_CLASSIFY_H
#define TRUNKLINE_CLASSIFY_H

#include "classification.h"

/* Reads the SQL once, from its start to its end. */
classification_t classify(const char *sql, size_t length, const state_keeper_t *keepers, size_t count);

#endif
