#include "classify_checks.h"

static void find_again(classifier_t *classifier, const classification_t *found) {
    if (found->class > CLASS_ALONE) classifier_find_at(classifier, found->class, found->at, found->length);
}

static void begin_check(classifier_t *classifier) {
    classifier->check_depth = classifier->depth;
    classifier->before_check = classifier->found;
}

/* What was found within its parentheses counts or not, depending on the words behind them. */
static void end_check(classifier_t *classifier) {
    classifier->check_depth = -1;
    classifier->check_waits = true;
    classifier->in_check = classifier->found;
    classifier->found = classifier->before_check;
}

static void decide_check(classifier_t *classifier, bool computed) {
    if (!classifier->check_waits) return;
    classifier->check_waits = false;
    if (computed) find_again(classifier, &classifier->in_check);
    else if (classifier->unchecked.class <= CLASS_ALONE) classifier->unchecked = classifier->in_check;
}

void classify_checks(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0), *before = classifier_back(classifier, 1);
    if (!token_is(&classifier->first, "alter")) return;
    bool outside = classifier->depth == 0 && classifier->check_depth < 0;
    if (token->kind == TOKEN_OPEN && classifier->depth == 1 && classifier->check_depth < 0 && token_is(before, "check")) {
        decide_check(classifier, true);
        begin_check(classifier);
    } else if (token->kind == TOKEN_CLOSE && classifier->check_depth > classifier->depth) {
        end_check(classifier);
    } else if (outside && token_is(token, "valid") && token_is(before, "not")) {
        decide_check(classifier, false);
    } else if (outside && token_is_sign(token, ',')) {
        decide_check(classifier, true);
    } else if (outside && token_is(token, "validate")) {
        classifier->validates = true;
    }
}

void classify_remaining_checks(classifier_t *classifier) {
    decide_check(classifier, true);
    if (classifier->validates) find_again(classifier, &classifier->unchecked);
}
