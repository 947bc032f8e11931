#include "classify.h"

#include "classify_calls.h"
#include "classify_keepers.h"
#include "classify_checks.h"
#include "classify_tables.h"
#include "local_setting.h"
#include "time_keyword.h"

/* False: it was the last one. */
static bool advance(classifier_t *classifier) {
    scanner_next(&classifier->scanner, &classifier->tokens[classifier->read++ % REMEMBERED]);
    token_kind_t kind = classifier_back(classifier, 0)->kind;
    classifier->depth += kind == TOKEN_OPEN;
    classifier->depth -= kind == TOKEN_CLOSE;
    return kind != TOKEN_END && kind != TOKEN_BROKEN;
}

static void check_word(classifier_t *classifier, const token_t *token) {
    static const char *const streams[] = {"stdin", "stdout", NULL}, *const directions[] = {"from", "to", NULL};
    const token_t *before = classifier_back(classifier, 1);
    if (token_is(&classifier->first, "copy") && classifier->depth == 0 && token_is_any(token, streams) && token_is_any(before, directions)) {
        classifier_find(classifier, CLASS_COPY, &classifier->first);
    }
    if (token_is(&classifier->first, "create")) {
        if (token_is(before, "begin") && token_is(token, "atomic")) classifier->body = true;
        if (token_is(before, "as") && token_is(token, "execute")) classifier_find(classifier, CLASS_SESSION, token);
    }
    bool alone = classifier->rule && classifier->rule->alone && token_is(token, classifier->rule->alone);
    if (alone && classifier->found.class == CLASS_SHAREABLE) classifier_find(classifier, CLASS_ALONE, token);
}

/* Chooses the rule by the second word. Optional words before it are skipped. */
static void complete_rule(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0);
    if (token->start == classifier->first.start) return;
    static const char *const after_create[] = {"or", "replace", NULL}, *const after_rollback[] = {"work", "transaction", NULL};
    bool creates = token_is(&classifier->first, "create"), rolls_back = token_is(&classifier->first, "rollback");
    if ((creates && token_is_any(token, after_create)) || (rolls_back && token_is_any(token, after_rollback))) return;
    classifier->complete = true;
    classifier->indexes = creates && (token_is(token, "index") || token_is(token, "unique"));
    if (token->kind != TOKEN_WORD || !classifier->rule) return;
    classifier->rule = statement_rule(classifier->first.name, classifier->first.name_length, token->name, token->name_length);
}

static void check_token(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0);
    if (token->kind == TOKEN_SEMICOLON) {
        classifier->ended |= classifier->depth <= 0 && !classifier->body;
    } else if (token->kind != TOKEN_END) {
        classifier->several |= classifier->ended;
    }
    classify_calls(classifier);
    classify_keepers(classifier);
    classify_checks(classifier);
    classify_tables(classifier);
    if (token->kind == TOKEN_WORD) check_word(classifier, token);
    classifier->time_dependent |= time_keyword_in(token, classifier_back(classifier, 1));
}

/* Reads up to the statement's first word, past semicolons and parentheses. */
static bool read_first(classifier_t *classifier, bool *in_parentheses) {
    *in_parentheses = false;
    while (advance(classifier)) {
        token_kind_t kind = classifier_back(classifier, 0)->kind;
        if (kind == TOKEN_OPEN) *in_parentheses = true;
        else if (kind != TOKEN_SEMICOLON || *in_parentheses) return true;
    }
    return false;
}

static void begin(classifier_t *classifier, const token_t *first) {
    classifier->first = *first;
    classifier->rule = first->kind == TOKEN_WORD ? statement_rule(first->name, first->name_length, "", 0) : NULL;
}

/* With ANALYZE the statement is executed; ANALYZE false counts as ANALYZE. */
static void note_analyze(classifier_t *classifier) {
    const token_t *token = classifier_back(classifier, 0);
    if (token_is_named(token, "analyze") || token_is_named(token, "analyse")) classifier->explained = false;
}

/* Reads the options of EXPLAIN, from behind its first word to the statement that is explained. */
static bool skip_explain(classifier_t *classifier, bool *in_parentheses) {
    static const char *const options[] = {"analyze", "analyse", "verbose", NULL};
    long depth = classifier->depth;
    classifier->explained = true;
    while (advance(classifier)) {
        note_analyze(classifier);
        if (token_is_any(classifier_back(classifier, 0), options)) continue;
        if (classifier_back(classifier, 0)->kind != TOKEN_OPEN) return true;
        if (!read_first(classifier, in_parentheses)) return false;
        note_analyze(classifier);
        begin(classifier, classifier_back(classifier, 0));
        *in_parentheses = true;
        if (classifier->rule && classifier->rule->kind == STATEMENT_QUERY) return true;
        while (classifier->depth > depth && advance(classifier)) note_analyze(classifier);
        return classifier->depth <= depth && read_first(classifier, in_parentheses);
    }
    return false;
}

/* False: there is no statement. */
static bool read_beginning(classifier_t *classifier) {
    bool in_parentheses;
    if (!read_first(classifier, &in_parentheses)) return false;
    begin(classifier, classifier_back(classifier, 0));
    if (token_is(&classifier->first, "explain") && !in_parentheses) {
        if (!skip_explain(classifier, &in_parentheses)) return false;
        begin(classifier, classifier_back(classifier, 0));
    }
    if (in_parentheses && classifier->rule && classifier->rule->kind != STATEMENT_QUERY) classifier->rule = NULL;
    return true;
}

static classification_t classified_as(statement_class_t class, const classifier_t *classifier, const token_t *token) {
    return (classification_t){
        .class = class, .at = (size_t)(token->start - classifier->sql), .length = token->length, .time_dependent = classifier->time_dependent,
        .keeps_state = classifier->keeps_state, .for_good = classifier->for_good,
    };
}

static classification_t conclude(const classifier_t *classifier) {
    if (classifier_back(classifier, 0)->kind == TOKEN_BROKEN) return classified_as(CLASS_UNKNOWN, classifier, classifier_back(classifier, 0));
    if (classifier->several) return classified_as(CLASS_SCRIPT, classifier, &classifier->first);
    if (!classifier->rule) return classified_as(CLASS_UNKNOWN, classifier, &classifier->first);
    bool first_decides = classifier->rule->class > CLASS_ALONE || classifier->found.class == CLASS_SHAREABLE;
    if (first_decides) return classified_as(classifier->rule->class, classifier, &classifier->first);
    classification_t found = classifier->found;
    found.sets_locally = found.class == CLASS_SESSION && !classifier->keeps_state && is_lone_local_setting(classifier->sql, (size_t)(classifier->scanner.end - classifier->sql));
    if (found.sets_locally) return (classification_t){.class = CLASS_SHAREABLE, .at = found.at, .length = found.length, .sets_locally = true};
    found.time_dependent = classifier->time_dependent;
    found.keeps_state = classifier->keeps_state;
    found.for_good = classifier->for_good;
    return found;
}

classification_t classify(const char *sql, size_t length, const state_keeper_t *keepers, size_t count) {
    classifier_t classifier = {.scanner = scanner_of(sql, length), .sql = sql, .keepers = keepers, .keeper_count = count,
                     .default_depth = -1, .check_depth = -1};
    if (!read_beginning(&classifier)) {
        bool empty = classifier_back(&classifier, 0)->kind == TOKEN_END && classifier.first.kind == TOKEN_END && classifier.depth == 0;
        return classified_as(empty ? CLASS_SHAREABLE : CLASS_UNKNOWN, &classifier, classifier_back(&classifier, 0));
    }
    do {
        if (!classifier.complete) complete_rule(&classifier);
        check_token(&classifier);
    } while (advance(&classifier));
    check_token(&classifier);
    classify_remaining_calls(&classifier);
    classify_remaining_checks(&classifier);
    classify_written_keepers(&classifier);
    return conclude(&classifier);
}
