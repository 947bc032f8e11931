#include "sql_lists.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/* Of one first word, the rule without a second word comes last. */
static const statement_rule_t statements[] = {
    {.first = "abort", .verdict = VERDICT_TRANSACTION},
    {.first = "alter", .second = "aggregate", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "database", .alone = "tablespace"},
    {.first = "alter", .second = "default", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "extension", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "function", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "operator", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "policy", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "procedure", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "routine", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "subscription", .verdict = VERDICT_ALONE},
    {.first = "alter", .second = "system", .verdict = VERDICT_ALONE},
    {.first = "alter", .alone = "concurrently"},
    {.first = "analyse"},
    {.first = "analyze"},
    {.first = "begin", .verdict = VERDICT_TRANSACTION},
    {.first = "call", .verdict = VERDICT_ALONE}, /* a procedure may commit */
    {.first = "checkpoint"},
    {.first = "close", .verdict = VERDICT_SESSION},
    {.first = "cluster", .verdict = VERDICT_ALONE},
    {.first = "comment", .kind = STATEMENT_DEFINES},
    {.first = "commit", .second = "prepared", .verdict = VERDICT_ALONE},
    {.first = "commit", .verdict = VERDICT_TRANSACTION},
    {.first = "copy"}, /* to and from files of the server */
    {.first = "create", .second = "aggregate", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "cast", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "constraint", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "database", .verdict = VERDICT_ALONE},
    {.first = "create", .second = "event", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "function", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "operator", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "policy", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "procedure", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "rule", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "subscription", .verdict = VERDICT_ALONE},
    {.first = "create", .second = "tablespace", .verdict = VERDICT_ALONE},
    {.first = "create", .second = "transform", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "trigger", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "view", .kind = STATEMENT_DEFINES},
    {.first = "create", .alone = "concurrently"},
    {.first = "deallocate", .verdict = VERDICT_SESSION},
    {.first = "declare", .verdict = VERDICT_SESSION},
    {.first = "delete"},
    {.first = "discard", .verdict = VERDICT_SESSION},
    {.first = "do", .verdict = VERDICT_SESSION}, /* its code is a string, which may hold anything */
    {.first = "drop", .second = "aggregate", .kind = STATEMENT_DEFINES},
    {.first = "drop", .second = "database", .verdict = VERDICT_ALONE},
    {.first = "drop", .second = "function", .kind = STATEMENT_DEFINES},
    {.first = "drop", .second = "procedure", .kind = STATEMENT_DEFINES},
    {.first = "drop", .second = "routine", .kind = STATEMENT_DEFINES},
    {.first = "drop", .second = "subscription", .verdict = VERDICT_ALONE},
    {.first = "drop", .second = "tablespace", .verdict = VERDICT_ALONE},
    {.first = "drop", .alone = "concurrently"},
    {.first = "end", .verdict = VERDICT_TRANSACTION},
    {.first = "execute", .verdict = VERDICT_SESSION},
    {.first = "fetch", .verdict = VERDICT_SESSION},
    {.first = "grant", .kind = STATEMENT_DEFINES},
    {.first = "import"},
    {.first = "insert"},
    {.first = "listen", .verdict = VERDICT_LISTEN},
    {.first = "load", .verdict = VERDICT_SESSION},
    {.first = "lock", .verdict = VERDICT_SESSION},
    {.first = "merge"},
    {.first = "move", .verdict = VERDICT_SESSION},
    {.first = "notify"},
    {.first = "prepare", .second = "transaction", .verdict = VERDICT_TRANSACTION},
    {.first = "prepare", .verdict = VERDICT_SESSION},
    {.first = "reassign"},
    {.first = "refresh"},
    {.first = "reindex", .verdict = VERDICT_ALONE},
    {.first = "release", .verdict = VERDICT_SAVEPOINT},
    {.first = "repack", .verdict = VERDICT_ALONE},
    {.first = "reset", .verdict = VERDICT_SETTING},
    {.first = "revoke", .kind = STATEMENT_DEFINES},
    {.first = "rollback", .second = "prepared", .verdict = VERDICT_ALONE},
    {.first = "rollback", .second = "to", .verdict = VERDICT_SAVEPOINT},
    {.first = "rollback", .verdict = VERDICT_TRANSACTION},
    {.first = "savepoint", .verdict = VERDICT_SAVEPOINT},
    {.first = "security", .kind = STATEMENT_DEFINES},
    {.first = "select", .kind = STATEMENT_QUERY},
    {.first = "set", .verdict = VERDICT_SETTING},
    {.first = "show"},
    {.first = "start", .verdict = VERDICT_TRANSACTION},
    {.first = "table", .kind = STATEMENT_QUERY},
    {.first = "truncate"},
    {.first = "unlisten", .verdict = VERDICT_LISTEN},
    {.first = "update"},
    {.first = "vacuum", .verdict = VERDICT_ALONE},
    {.first = "values", .kind = STATEMENT_QUERY},
    {.first = "with", .kind = STATEMENT_QUERY},
};

static const char *const session_functions[] = {
    /* settings */
    "isn_weak", "set_config", "set_limit", "setseed",
    /* what an earlier statement has got from a sequence */
    "currval", "lastval",
    /* locks that outlive their statement */
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_all", "pg_advisory_unlock_shared",
    "pg_try_advisory_lock", "pg_try_advisory_lock_shared",
    /* descriptors of large objects, which end with their transaction */
    "lo_close", "lo_lseek", "lo_lseek64", "lo_open", "lo_tell", "lo_tell64", "lo_truncate", "lo_truncate64", "loread", "lowrite",
    /* connections from the server to others; dblink and dblink_exec can open one for themselves, and close it */
    "dblink_cancel_query", "dblink_close", "dblink_connect", "dblink_connect_u", "dblink_disconnect", "dblink_error_message",
    "dblink_fetch", "dblink_get_connections", "dblink_get_notify", "dblink_get_result", "dblink_is_busy", "dblink_open",
    "dblink_send_query",
    /* snapshots, backups, replication: slots may be made for the session only */
    "pg_backup_start", "pg_backup_stop", "pg_copy_logical_replication_slot", "pg_copy_physical_replication_slot",
    "pg_create_logical_replication_slot", "pg_create_physical_replication_slot", "pg_export_snapshot",
    "pg_replication_origin_session_progress", "pg_replication_origin_session_reset", "pg_replication_origin_session_setup",
    "pg_replication_origin_xact_reset", "pg_replication_origin_xact_setup", "pg_start_backup", "pg_stop_backup",
    /* cursors */
    "cursor_to_xml", "cursor_to_xmlschema",
    /* roles and hypothetical indexes of extensions that are widely used */
    "hypopg_create_index", "hypopg_drop_index", "hypopg_hide_index", "hypopg_reset", "hypopg_unhide_all_indexes", "hypopg_unhide_index",
    "reset_user", "set_session_auth", "set_user", "set_user_u",
    /* whatever SQL they are given as a string */
    "connectby", "crosstab", "crosstab2", "crosstab3", "crosstab4", "crosstab_hash", "query_to_xml", "query_to_xml_and_xmlschema",
    "query_to_xmlschema", "ts_rewrite", "ts_stat", "xpath_table",
};

static const char *const into_followers[] = {
    "except", "fetch", "for", "from", "group", "having", "intersect", "limit", "offset", "order", "union", "where", "window",
};

static bool same(const char *listed, const char *word, size_t length) {
    return length > 0 && listed[0] == word[0] && strlen(listed) == length && memcmp(listed, word, length) == 0;
}

static bool contains(const char *const *list, size_t count, const char *word, size_t length) {
    for (size_t at = 0; at < count; at++) {
        if (same(list[at], word, length)) return true;
    }
    return false;
}

const statement_rule_t *statement_rule(const char *first, size_t first_length, const char *second, size_t second_length) {
    for (size_t at = 0; at < COUNT_OF(statements); at++) {
        const statement_rule_t *rule = &statements[at];
        if (same(rule->first, first, first_length) && (!rule->second || same(rule->second, second, second_length))) return rule;
    }
    return NULL;
}

bool is_session_function(const char *name, size_t length) {
    return contains(session_functions, COUNT_OF(session_functions), name, length);
}

bool follows_into(const char *word, size_t length) { return contains(into_followers, COUNT_OF(into_followers), word, length); }
