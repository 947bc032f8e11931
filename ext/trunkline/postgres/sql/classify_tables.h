/* Tables, schemas and views whose names make a difference to the session. */
#ifndef TRUNKLINE_CLASSIFY_TABLES_H
#define TRUNKLINE_CLASSIFY_TABLES_H

#include "classifier.h"

/* Looks at the last token. */
void classify_tables(classifier_t *classifier);

#endif
