#include "classify_keepers.h"

/* Whether the statement only stores or reads names. ANALYZE and VACUUM evaluate the expressions of indexes. */
static bool names_only(const classifier_t *classifier) {
    static const char *const computing[] = {"analyse", "analyze", "vacuum", NULL};
    return classifier->rule && classifier->rule->kind == STATEMENT_DEFINES && !token_is_any(&classifier->first, computing);
}

/* FOR UPDATE and FOR NO KEY UPDATE lock rows; behind a dot, each of these words is a column. */
static bool is_writing_word(const classifier_t *classifier) {
    static const char *const writing[] = {"delete", "insert", "merge", "update", NULL}, *const locking[] = {"for", "key", NULL};
    const token_t *before = classifier_back(classifier, 1);
    return token_is_any(classifier_back(classifier, 0), writing) && before->kind != TOKEN_DOT && !token_is_any(before, locking);
}

static bool is_first(const classifier_t *classifier) { return classifier_back(classifier, 0)->start == classifier->first.start; }

static void follow_writing(classifier_t *classifier) {
    bool queries = classifier->rule && classifier->rule->kind == STATEMENT_QUERY;
    if (is_writing_word(classifier) || (is_first(classifier) && !queries)) classifier->writes = true;
}

/* Whether event triggers run for the command, as for SELECT INTO, too. */
static bool is_command(const classifier_t *classifier) {
    static const char *const defining[] = {"alter", "comment", "create", "drop", "grant", "import", "reassign", "refresh", "reindex", "revoke", "security", NULL};
    static const char *const into_a_table[] = {"insert", "merge", NULL};
    const token_t *token = classifier_back(classifier, 0);
    if (is_first(classifier)) return token_is_any(token, defining);
    return token_is(token, "into") && !token_is_any(classifier_back(classifier, 1), into_a_table);
}

/* An operator may also be part of a longer one, which only the server's scanner can tell. */
static bool is_operator(const classifier_t *classifier, const state_keeper_t *keeper) {
    const token_t *token = classifier_back(classifier, 0);
    if (token->kind != TOKEN_OTHER || keeper->name_length > (size_t)(classifier->scanner.end - token->start)) return false;
    return memcmp(keeper->name, token->start, keeper->name_length) == 0;
}

static const token_t *schema_of(const classifier_t *classifier) {
    bool qualified = classifier_back(classifier, 1)->kind == TOKEN_DOT && token_is_name(classifier_back(classifier, 2));
    return qualified ? classifier_back(classifier, 2) : NULL;
}

static void check_keeper(classifier_t *classifier, const state_keeper_t *keeper) {
    const token_t *token = classifier_back(classifier, 0);
    bool reached = false;
    switch (keeper->by) {
    case REACHED_BY_CALL: break;
    case REACHED_BY_OPERATOR: reached = is_operator(classifier, keeper); break;
    case REACHED_BY_COMMAND: reached = is_command(classifier); break;
    case REACHED_BY_NAME: case REACHED_BY_WRITING:
        reached = token_is_name(token) && !names_only(classifier) && keeper_is_named(keeper, token, schema_of(classifier));
    }
    if (!reached) return;
    if (keeper->by != REACHED_BY_WRITING) {
        classifier_note(classifier, keeper);
        classifier_find(classifier, CLASS_SESSION, token);
        return;
    }
    classifier->written.for_good |= keeper->for_good;
    if (classifier->written.length > 0) return;
    classifier->written.at = (size_t)(token->start - classifier->sql);
    classifier->written.length = token->length;
}

void classify_keepers(classifier_t *classifier) {
    if (classifier->keeper_count == 0) return;
    follow_writing(classifier);
    for (size_t at = 0; at < classifier->keeper_count; at++) check_keeper(classifier, &classifier->keepers[at]);
}

void classify_written_keepers(classifier_t *classifier) {
    if (classifier->written.length == 0 || !classifier->writes) return;
    classifier->keeps_state = true;
    classifier->for_good |= classifier->written.for_good;
    classifier_find_at(classifier, CLASS_SESSION, classifier->written.at, classifier->written.length);
}
