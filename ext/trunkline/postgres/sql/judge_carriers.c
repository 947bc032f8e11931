#include "judge_carriers.h"

/* Are the names in it only stored, or looked at? ANALYZE and VACUUM compute the expressions of indexes. */
static bool names_only(const judge_t *judge) {
    static const char *const computing[] = {"analyse", "analyze", "vacuum", NULL};
    return judge->rule && judge->rule->kind == STATEMENT_DEFINES && !token_is_any(&judge->first, computing);
}

/* FOR UPDATE and FOR NO KEY UPDATE lock rows; behind a dot, each of these words is a column. */
static bool is_writing_word(const judge_t *judge) {
    static const char *const writing[] = {"delete", "insert", "merge", "update", NULL}, *const locking[] = {"for", "key", NULL};
    const token_t *before = judge_back(judge, 1);
    return token_is_any(judge_back(judge, 0), writing) && before->kind != TOKEN_DOT && !token_is_any(before, locking);
}

static bool is_first(const judge_t *judge) { return judge_back(judge, 0)->start == judge->first.start; }

static void follow_writing(judge_t *judge) {
    bool queries = judge->rule && judge->rule->kind == STATEMENT_QUERY;
    if (is_writing_word(judge) || (is_first(judge) && !queries)) judge->writes = true;
}

/* Event triggers see these, and SELECT INTO. */
static bool is_command(const judge_t *judge) {
    static const char *const defining[] = {"alter", "comment", "create", "drop", "grant", "import", "reassign", "refresh", "reindex", "revoke", "security", NULL};
    static const char *const into_a_table[] = {"insert", "merge", NULL};
    const token_t *token = judge_back(judge, 0);
    if (is_first(judge)) return token_is_any(token, defining);
    return token_is(token, "into") && !token_is_any(judge_back(judge, 1), into_a_table);
}

/* An operator may be part of a longer one, too: that cannot be told before the server has cut it. */
static bool is_operator(const judge_t *judge, const session_carrier_t *carrier) {
    const token_t *token = judge_back(judge, 0);
    if (token->kind != TOKEN_OTHER || carrier->name_length > (size_t)(judge->scanner.end - token->start)) return false;
    return memcmp(carrier->name, token->start, carrier->name_length) == 0;
}

static const token_t *schema_of(const judge_t *judge) {
    bool qualified = judge_back(judge, 1)->kind == TOKEN_DOT && token_is_name(judge_back(judge, 2));
    return qualified ? judge_back(judge, 2) : NULL;
}

static void look_for(judge_t *judge, const session_carrier_t *carrier) {
    const token_t *token = judge_back(judge, 0);
    bool reached = false;
    switch (carrier->by) {
    case REACHED_BY_CALL: break;
    case REACHED_BY_OPERATOR: reached = is_operator(judge, carrier); break;
    case REACHED_BY_COMMAND: reached = is_command(judge); break;
    case REACHED_BY_NAME: case REACHED_BY_WRITING:
        reached = token_is_name(token) && !names_only(judge) && carrier_is_named(carrier, token, schema_of(judge));
    }
    if (!reached) return;
    if (carrier->by != REACHED_BY_WRITING) {
        judge_note(judge, carrier);
        judge_find(judge, VERDICT_SESSION, token);
        return;
    }
    judge->written.for_good |= carrier->for_good;
    if (judge->written.length > 0) return;
    judge->written.at = (size_t)(token->start - judge->sql);
    judge->written.length = token->length;
}

void judge_carriers(judge_t *judge) {
    if (judge->carrier_count == 0) return;
    follow_writing(judge);
    for (size_t at = 0; at < judge->carrier_count; at++) look_for(judge, &judge->carriers[at]);
}

void judge_written_carriers(judge_t *judge) {
    if (judge->written.length == 0 || !judge->writes) return;
    judge->carries = true;
    judge->for_good |= judge->written.for_good;
    judge_find_at(judge, VERDICT_SESSION, judge->written.at, judge->written.length);
}
