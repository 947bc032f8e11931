/* Bytes that somebody else keeps. */
#ifndef TRUNKLINE_META_TEXT_H
#define TRUNKLINE_META_TEXT_H

#include <stddef.h>

typedef struct {
    const char *bytes;
    size_t length;
} meta_text_t;

#endif
