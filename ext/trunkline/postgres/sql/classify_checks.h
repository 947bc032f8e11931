/* ALTER ... ADD CONSTRAINT ... CHECK (...) NOT VALID stores an expression, and does not evaluate it. */
#ifndef TRUNKLINE_CLASSIFY_CHECKS_H
#define TRUNKLINE_CLASSIFY_CHECKS_H

#include "classifier.h"

/* Reads the last token, after classify_calls. */
void classify_checks(classifier_t *classifier);

/* Called at the end of the text: decides about what was found in a constraint. */
void classify_remaining_checks(classifier_t *classifier);

#endif
