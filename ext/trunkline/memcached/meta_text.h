/* A reference to bytes: the caller keeps the String that holds them. */
#ifndef TRUNKLINE_META_TEXT_H
#define TRUNKLINE_META_TEXT_H

#include <stddef.h>

typedef struct {
    const char *bytes;
    size_t length;
} meta_text_t;

#endif
