#include "judge_checks.h"

static void find_again(judge_t *judge, const judgement_t *found) {
    if (found->verdict > VERDICT_ALONE) judge_find_at(judge, found->verdict, found->at, found->length);
}

static void begin_check(judge_t *judge) {
    judge->check_depth = judge->depth;
    judge->before_check = judge->found;
}

/* What was found within its parentheses waits for what comes behind them. */
static void end_check(judge_t *judge) {
    judge->check_depth = -1;
    judge->check_waits = true;
    judge->in_check = judge->found;
    judge->found = judge->before_check;
}

static void decide_check(judge_t *judge, bool computed) {
    if (!judge->check_waits) return;
    judge->check_waits = false;
    if (computed) find_again(judge, &judge->in_check);
    else if (judge->unchecked.verdict <= VERDICT_ALONE) judge->unchecked = judge->in_check;
}

void judge_checks(judge_t *judge) {
    const token_t *token = judge_back(judge, 0), *before = judge_back(judge, 1);
    if (!token_is(&judge->first, "alter")) return;
    bool outside = judge->depth == 0 && judge->check_depth < 0;
    if (token->kind == TOKEN_OPEN && judge->depth == 1 && judge->check_depth < 0 && token_is(before, "check")) {
        decide_check(judge, true);
        begin_check(judge);
    } else if (token->kind == TOKEN_CLOSE && judge->check_depth > judge->depth) {
        end_check(judge);
    } else if (outside && token_is(token, "valid") && token_is(before, "not")) {
        decide_check(judge, false);
    } else if (outside && token_is_sign(token, ',')) {
        decide_check(judge, true);
    } else if (outside && token_is(token, "validate")) {
        judge->validates = true;
    }
}

void judge_remaining_checks(judge_t *judge) {
    decide_check(judge, true);
    if (judge->validates) find_again(judge, &judge->unchecked);
}
