#include "sql_lists.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/* Among the rules for one first word, the one without a second word comes last. */
static const statement_rule_t statements[] = {
    {.first = "abort", .class = CLASS_TRANSACTION},
    {.first = "alter", .second = "aggregate", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "database", .alone = "tablespace"},
    {.first = "alter", .second = "default", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "extension", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "function", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "operator", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "policy", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "procedure", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "publication", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "routine", .kind = STATEMENT_DEFINES},
    {.first = "alter", .second = "subscription", .class = CLASS_ALONE},
    {.first = "alter", .second = "system", .class = CLASS_ALONE},
    {.first = "alter", .alone = "concurrently"},
    {.first = "analyse", .kind = STATEMENT_DEFINES},
    {.first = "analyze", .kind = STATEMENT_DEFINES},
    {.first = "begin", .class = CLASS_TRANSACTION},
    {.first = "call", .class = CLASS_ALONE}, /* a procedure may commit */
    {.first = "checkpoint"},
    {.first = "close", .class = CLASS_SESSION},
    {.first = "cluster", .class = CLASS_ALONE},
    {.first = "comment", .kind = STATEMENT_DEFINES},
    {.first = "commit", .second = "prepared", .class = CLASS_ALONE},
    {.first = "commit", .class = CLASS_TRANSACTION},
    {.first = "copy"}, /* to and from files of the server */
    {.first = "create", .second = "aggregate", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "cast", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "constraint", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "database", .class = CLASS_ALONE},
    {.first = "create", .second = "event", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "function", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "operator", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "policy", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "procedure", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "publication", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "recursive", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "rule", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "statistics", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "subscription", .class = CLASS_ALONE},
    {.first = "create", .second = "tablespace", .class = CLASS_ALONE},
    {.first = "create", .second = "transform", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "trigger", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "type", .kind = STATEMENT_DEFINES},
    {.first = "create", .second = "view", .kind = STATEMENT_DEFINES},
    {.first = "create", .alone = "concurrently"},
    {.first = "deallocate", .class = CLASS_SESSION},
    {.first = "declare", .class = CLASS_SESSION},
    {.first = "delete"},
    {.first = "discard", .class = CLASS_SESSION},
    {.first = "do", .class = CLASS_SESSION}, /* its code is a string, which may contain anything */
    {.first = "drop", .second = "database", .class = CLASS_ALONE},
    {.first = "drop", .second = "subscription", .class = CLASS_ALONE},
    {.first = "drop", .second = "tablespace", .class = CLASS_ALONE},
    {.first = "drop", .kind = STATEMENT_DEFINES, .alone = "concurrently"},
    {.first = "end", .class = CLASS_TRANSACTION},
    {.first = "execute", .class = CLASS_SESSION},
    {.first = "fetch", .class = CLASS_SESSION},
    {.first = "grant", .kind = STATEMENT_DEFINES},
    {.first = "import"},
    {.first = "insert"},
    {.first = "listen", .class = CLASS_LISTEN},
    {.first = "load", .class = CLASS_SESSION},
    {.first = "lock", .class = CLASS_SESSION},
    {.first = "merge"},
    {.first = "move", .class = CLASS_SESSION},
    {.first = "notify"},
    {.first = "prepare", .second = "transaction", .class = CLASS_TRANSACTION},
    {.first = "prepare", .class = CLASS_SESSION},
    {.first = "reassign"},
    {.first = "refresh"},
    {.first = "reindex", .class = CLASS_ALONE},
    {.first = "release", .class = CLASS_SAVEPOINT},
    {.first = "repack", .class = CLASS_ALONE},
    {.first = "reset", .class = CLASS_SETTING},
    {.first = "revoke", .kind = STATEMENT_DEFINES},
    {.first = "rollback", .second = "prepared", .class = CLASS_ALONE},
    {.first = "rollback", .second = "to", .class = CLASS_SAVEPOINT},
    {.first = "rollback", .class = CLASS_TRANSACTION},
    {.first = "savepoint", .class = CLASS_SAVEPOINT},
    {.first = "security", .kind = STATEMENT_DEFINES},
    {.first = "select", .kind = STATEMENT_QUERY},
    {.first = "set", .class = CLASS_SETTING},
    {.first = "show"},
    {.first = "start", .class = CLASS_TRANSACTION},
    {.first = "table", .kind = STATEMENT_QUERY},
    {.first = "truncate"},
    {.first = "unlisten", .class = CLASS_LISTEN},
    {.first = "update"},
    {.first = "vacuum", .class = CLASS_ALONE, .kind = STATEMENT_DEFINES},
    {.first = "values", .kind = STATEMENT_QUERY},
    {.first = "with", .kind = STATEMENT_QUERY},
};

/* Those of one argument are FUNCTION_KEEPS_OF_ONE. */
static const char *const functions_of_one[] = {
    /* settings, and the seed of random numbers */
    "isn_weak", "set_curcfg", "set_curdict", "set_curprs", "set_limit", "set_smlar_limit", "set_system_time", "set_timetravel", "setseed",
    "sepgsql_setcon",
    /* the last value that an earlier statement got from a sequence */
    "currval",
    /* locks that outlive their statement */
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_shared", "pg_try_advisory_lock",
    "pg_try_advisory_lock_shared",
    /* descriptors of large objects, which end with their transaction */
    "lo_close", "lo_tell", "lo_tell64",
    /* connections from the server to others; dblink and dblink_exec can open one for themselves, and close it */
    "dblink_cancel_query", "dblink_connect", "dblink_connect_u", "dblink_disconnect", "dblink_error_message", "dblink_get_notify",
    "dblink_get_result", "dblink_is_busy",
    /* slots may be temporary, for the session only */
    "pg_backup_start", "pg_backup_stop", "pg_create_physical_replication_slot", "pg_replication_origin_session_progress",
    "pg_replication_origin_session_setup", "pg_start_backup", "pg_stop_backup",
    /* roles and hypothetical indexes of extensions that are widely used; background workers whose results one session can read */
    "hypopg_create_index", "hypopg_drop_index", "hypopg_hide_index", "hypopg_unhide_index", "pg_background_detach",
    "pg_background_launch", "pg_background_result", "set_session_auth", "set_user", "set_user_u",
    /* functions that run SQL from a string */
    "crosstab", "crosstab2", "crosstab3", "crosstab4", "ts_stat",
};

static const char *const functions_of_several[] = {
    "http_reset_curlopt", "http_set_curlopt", "reset_tsearch", "lastval", "pg_advisory_unlock_all",
    "lo_lseek", "lo_lseek64", "lo_open", "lo_truncate", "lo_truncate64", "loread", "lowrite",
    "dblink_close", "dblink_fetch", "dblink_get_connections", "dblink_open", "dblink_send_query",
    "pg_copy_logical_replication_slot", "pg_copy_physical_replication_slot", "pg_create_logical_replication_slot", "pg_export_snapshot",
    "pg_replication_origin_session_reset", "pg_replication_origin_xact_reset", "pg_replication_origin_xact_setup",
    "cursor_to_xml", "cursor_to_xmlschema", "hypopg_reset", "hypopg_unhide_all_indexes", "reset_user",
    "connectby", "crosstab_hash", "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "xpath_table",
};

/* Extensions all of whose functions with such a name keep what they are given: pg_variables, pldebugger, plprofiler. */
static const char *const function_prefixes[] = {"pgv_", "pldbg_", "pl_profiler_"};

/* orafce's functions are in its own schemas, under names that others may use for something else; NULL: any function of the schema. */
static const struct {
    const char *schema, *name;
} functions_of_schemas[] = {
    {"dbms_alert", NULL}, {"dbms_output", NULL}, {"dbms_random", "initialize"}, {"dbms_random", "seed"}, {"dbms_random", "terminate"},
    {"dbms_session", NULL}, {"dbms_sql", NULL}, {"plvsubst", NULL}, {"utl_file", NULL},
};

/* Volatile in each version of the server. */
static const char *const volatile_functions[] = {
    "currval", "lastval", "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_all",
    "pg_advisory_unlock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared", "set_config", "setseed",
};

/* In addition to settings of applications and extensions, which have a dot in their names. */
static const char *const harmless_settings[] = {
    "application_name", "client_min_messages", "commit_delay", "constraint_exclusion", "deadlock_timeout", "effective_cache_size",
    "hash_mem_multiplier", "idle_in_transaction_session_timeout", "jit", "lock_timeout", "maintenance_work_mem", "random_page_cost",
    "statement_timeout", "synchronous_commit", "temp_file_limit", "transaction_timeout", "work_mem",
};

static const char *const value_words[] = {
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp", "current_user", "localtime",
    "localtimestamp", "session_user", "system_user", "user",
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

static bool has_prefix(const char *name, size_t length) {
    for (size_t at = 0; at < COUNT_OF(function_prefixes); at++) {
        size_t prefix = strlen(function_prefixes[at]);
        if (length > prefix && memcmp(name, function_prefixes[at], prefix) == 0) return true;
    }
    return false;
}

static bool of_schema(const char *name, size_t length, const char *schema, size_t schema_length) {
    for (size_t at = 0; at < COUNT_OF(functions_of_schemas); at++) {
        if (!same(functions_of_schemas[at].schema, schema, schema_length)) continue;
        if (!functions_of_schemas[at].name || same(functions_of_schemas[at].name, name, length)) return true;
    }
    return false;
}

function_kind_t function_kind(const char *name, size_t length, const char *schema, size_t schema_length) {
    if (same("set_config", name, length)) return FUNCTION_SETS;
    if (same("ts_rewrite", name, length)) return FUNCTION_REWRITES;
    if (contains(functions_of_one, COUNT_OF(functions_of_one), name, length) || has_prefix(name, length)) return FUNCTION_KEEPS_OF_ONE;
    if (contains(functions_of_several, COUNT_OF(functions_of_several), name, length)) return FUNCTION_KEEPS;
    return schema && of_schema(name, length, schema, schema_length) ? FUNCTION_KEEPS : FUNCTION_ORDINARY;
}

const char *listed_function(size_t at) {
    static const char *const deciding[] = {"set_config", "ts_rewrite"};
    if (at < COUNT_OF(deciding)) return deciding[at];
    at -= COUNT_OF(deciding);
    if (at < COUNT_OF(functions_of_one)) return functions_of_one[at];
    at -= COUNT_OF(functions_of_one);
    return at < COUNT_OF(functions_of_several) ? functions_of_several[at] : NULL;
}

const char *listed_function_prefix(size_t at) { return at < COUNT_OF(function_prefixes) ? function_prefixes[at] : NULL; }

const char *listed_function_schema(size_t at) { return at < COUNT_OF(functions_of_schemas) ? functions_of_schemas[at].schema : NULL; }

bool is_never_planned(const char *name, size_t length) {
    return contains(volatile_functions, COUNT_OF(volatile_functions), name, length);
}

bool is_harmless_setting(const char *name, size_t length) {
    static const char compiled[] = "plpgsql."; /* compiled functions keep what they were compiled with */
    if (length >= sizeof compiled - 1 && memcmp(name, compiled, sizeof compiled - 1) == 0) return false;
    return memchr(name, '.', length) || contains(harmless_settings, COUNT_OF(harmless_settings), name, length);
}

bool is_value_word(const char *word, size_t length) { return contains(value_words, COUNT_OF(value_words), word, length); }

bool follows_into(const char *word, size_t length) { return contains(into_followers, COUNT_OF(into_followers), word, length); }
