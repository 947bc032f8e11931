/* Recognises SELECT set_config('search_path', value, true) as a whole statement: the setting ends with its transaction, and nothing else is parsed
 * under it. */
#ifndef TRUNKLINE_LOCAL_SETTING_H
#define TRUNKLINE_LOCAL_SETTING_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this is the whole statement. As a separate transaction it leaves nothing behind; within another one it changes what SQL means. Reads a
 * bounded number of tokens. */
bool is_lone_local_setting(const char *sql, size_t length);

#endif
