/* SELECT set_config('search_path', value, true), and no more: it ends with its transaction, and nothing else is read under it. */
#ifndef TRUNKLINE_LOCAL_SETTING_H
#define TRUNKLINE_LOCAL_SETTING_H

#include <stdbool.h>
#include <stddef.h>

/* Is this the whole statement? As a transaction of its own it leaves nothing behind; within one it changes what SQL means. Reads a bounded
 * number of tokens. */
bool is_lone_local_setting(const char *sql, size_t length);

#endif
