/* ALTER ... ADD CONSTRAINT ... CHECK (...) NOT VALID stores an expression, and does not compute it. */
#ifndef TRUNKLINE_CLASSIFY_CHECKS_H
#define TRUNKLINE_CLASSIFY_CHECKS_H

#include "classifier.h"

/* Looks at the last token, behind what looks for calls. */
void classify_checks(classifier_t *classifier);

/* The text has ended: what was found in a constraint is decided. */
void classify_remaining_checks(classifier_t *classifier);

#endif
