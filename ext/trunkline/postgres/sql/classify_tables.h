/* Finds tables, schemas and views whose names matter for the session: temporary ones, and pg_settings. */
#ifndef TRUNKLINE_CLASSIFY_TABLES_H
#define TRUNKLINE_CLASSIFY_TABLES_H

#include "classifier.h"

/* Reads the last token. */
void classify_tables(classifier_t *classifier);

#endif
