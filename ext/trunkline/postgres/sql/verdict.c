#include "verdict.h"

#include "judge_calls.h"
#include "judge_carriers.h"
#include "judge_checks.h"
#include "judge_places.h"
#include "local_setting.h"
#include "moment.h"

/* False: it was the last one. */
static bool advance(judge_t *judge) {
    scanner_next(&judge->scanner, &judge->tokens[judge->read++ % REMEMBERED]);
    token_kind_t kind = judge_back(judge, 0)->kind;
    judge->depth += kind == TOKEN_OPEN;
    judge->depth -= kind == TOKEN_CLOSE;
    return kind != TOKEN_END && kind != TOKEN_BROKEN;
}

static void look_at_word(judge_t *judge, const token_t *token) {
    static const char *const streams[] = {"stdin", "stdout", NULL}, *const directions[] = {"from", "to", NULL};
    const token_t *before = judge_back(judge, 1);
    if (token_is(&judge->first, "copy") && judge->depth == 0 && token_is_any(token, streams) && token_is_any(before, directions)) {
        judge_find(judge, VERDICT_COPY, &judge->first);
    }
    if (token_is(&judge->first, "create")) {
        if (token_is(before, "begin") && token_is(token, "atomic")) judge->body = true;
        if (token_is(before, "as") && token_is(token, "execute")) judge_find(judge, VERDICT_SESSION, token);
    }
    bool alone = judge->rule && judge->rule->alone && token_is(token, judge->rule->alone);
    if (alone && judge->found.verdict == VERDICT_SHAREABLE) judge_find(judge, VERDICT_ALONE, token);
}

/* The second word is known when it comes; what may stand before it is no word of its own. */
static void complete_rule(judge_t *judge) {
    const token_t *token = judge_back(judge, 0);
    if (token->start == judge->first.start) return;
    static const char *const after_create[] = {"or", "replace", NULL}, *const after_rollback[] = {"work", "transaction", NULL};
    bool creates = token_is(&judge->first, "create"), rolls_back = token_is(&judge->first, "rollback");
    if ((creates && token_is_any(token, after_create)) || (rolls_back && token_is_any(token, after_rollback))) return;
    judge->complete = true;
    judge->indexes = creates && (token_is(token, "index") || token_is(token, "unique"));
    if (token->kind != TOKEN_WORD || !judge->rule) return;
    judge->rule = statement_rule(judge->first.name, judge->first.name_length, token->name, token->name_length);
}

static void look(judge_t *judge) {
    const token_t *token = judge_back(judge, 0);
    if (token->kind == TOKEN_SEMICOLON) {
        judge->ended |= judge->depth <= 0 && !judge->body;
    } else if (token->kind != TOKEN_END) {
        judge->several |= judge->ended;
    }
    judge_calls(judge);
    judge_carriers(judge);
    judge_checks(judge);
    judge_places(judge);
    if (token->kind == TOKEN_WORD) look_at_word(judge, token);
    judge->momentary |= moment_in(token, judge_back(judge, 1));
}

/* To the word that the statement begins with, past semicolons and parentheses. */
static bool read_first(judge_t *judge, bool *in_parentheses) {
    *in_parentheses = false;
    while (advance(judge)) {
        token_kind_t kind = judge_back(judge, 0)->kind;
        if (kind == TOKEN_OPEN) *in_parentheses = true;
        else if (kind != TOKEN_SEMICOLON || *in_parentheses) return true;
    }
    return false;
}

static void begin(judge_t *judge, const token_t *first) {
    judge->first = *first;
    judge->rule = first->kind == TOKEN_WORD ? statement_rule(first->name, first->name_length, "", 0) : NULL;
}

/* With ANALYZE the statement is carried out; with ANALYZE false it counts as if it were. */
static void note_analyze(judge_t *judge) {
    const token_t *token = judge_back(judge, 0);
    if (token_is_named(token, "analyze") || token_is_named(token, "analyse")) judge->explained = false;
}

/* EXPLAIN ANALYZE VERBOSE, EXPLAIN (...): from behind the first of these words to the statement that is explained. */
static bool skip_explain(judge_t *judge, bool *in_parentheses) {
    static const char *const options[] = {"analyze", "analyse", "verbose", NULL};
    long depth = judge->depth;
    judge->explained = true;
    while (advance(judge)) {
        note_analyze(judge);
        if (token_is_any(judge_back(judge, 0), options)) continue;
        if (judge_back(judge, 0)->kind != TOKEN_OPEN) return true;
        if (!read_first(judge, in_parentheses)) return false;
        note_analyze(judge);
        begin(judge, judge_back(judge, 0));
        *in_parentheses = true;
        if (judge->rule && judge->rule->kind == STATEMENT_QUERY) return true;
        while (judge->depth > depth && advance(judge)) note_analyze(judge);
        return judge->depth <= depth && read_first(judge, in_parentheses);
    }
    return false;
}

/* False: there is no statement. */
static bool read_beginning(judge_t *judge) {
    bool in_parentheses;
    if (!read_first(judge, &in_parentheses)) return false;
    begin(judge, judge_back(judge, 0));
    if (token_is(&judge->first, "explain") && !in_parentheses) {
        if (!skip_explain(judge, &in_parentheses)) return false;
        begin(judge, judge_back(judge, 0));
    }
    if (in_parentheses && judge->rule && judge->rule->kind != STATEMENT_QUERY) judge->rule = NULL;
    return true;
}

static judgement_t judgement(verdict_t verdict, const judge_t *judge, const token_t *token) {
    return (judgement_t){
        .verdict = verdict, .at = (size_t)(token->start - judge->sql), .length = token->length, .momentary = judge->momentary,
        .carries = judge->carries, .for_good = judge->for_good,
    };
}

static judgement_t conclude(const judge_t *judge) {
    if (judge_back(judge, 0)->kind == TOKEN_BROKEN) return judgement(VERDICT_UNKNOWN, judge, judge_back(judge, 0));
    if (judge->several) return judgement(VERDICT_SCRIPT, judge, &judge->first);
    if (!judge->rule) return judgement(VERDICT_UNKNOWN, judge, &judge->first);
    bool first_decides = judge->rule->verdict > VERDICT_ALONE || judge->found.verdict == VERDICT_SHAREABLE;
    if (first_decides) return judgement(judge->rule->verdict, judge, &judge->first);
    judgement_t found = judge->found;
    found.sets_locally = found.verdict == VERDICT_SESSION && !judge->carries && is_lone_local_setting(judge->sql, (size_t)(judge->scanner.end - judge->sql));
    if (found.sets_locally) return (judgement_t){.verdict = VERDICT_SHAREABLE, .at = found.at, .length = found.length, .sets_locally = true};
    found.momentary = judge->momentary;
    found.carries = judge->carries;
    found.for_good = judge->for_good;
    return found;
}

judgement_t judge(const char *sql, size_t length, const session_carrier_t *carriers, size_t count) {
    judge_t judge = {.scanner = scanner_of(sql, length), .sql = sql, .carriers = carriers, .carrier_count = count,
                     .default_depth = -1, .check_depth = -1};
    if (!read_beginning(&judge)) {
        bool empty = judge_back(&judge, 0)->kind == TOKEN_END && judge.first.kind == TOKEN_END && judge.depth == 0;
        return judgement(empty ? VERDICT_SHAREABLE : VERDICT_UNKNOWN, &judge, judge_back(&judge, 0));
    }
    do {
        if (!judge.complete) complete_rule(&judge);
        look(&judge);
    } while (advance(&judge));
    look(&judge);
    judge_remaining_calls(&judge);
    judge_remaining_checks(&judge);
    judge_written_carriers(&judge);
    return conclude(&judge);
}
