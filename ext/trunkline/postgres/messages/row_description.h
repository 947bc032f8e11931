/* Reads RowDescription and ParameterDescription, and nothing past their ends. */
#ifndef TRUNKLINE_ROW_DESCRIPTION_H
#define TRUNKLINE_ROW_DESCRIPTION_H

#include "../../bytes/reader.h"

typedef struct {
    const char *name;
    size_t name_length;
    uint32_t table;   /* its OID; 0: the column is none of a table's */
    int16_t number;   /* in that table; 0: none */
    int16_t size;     /* bytes of a value, -1: they differ */
    uint32_t type;
    int32_t modifier; /* what the type has in brackets, as its functions keep it; -1: nothing */
} column_t;

/* The number of columns that follow; *whole is false when it cannot be true of the bytes there. */
uint16_t row_description_open(reader_t *reader);

/* The next column. False: the message ends too early. */
bool row_description_column(reader_t *reader, column_t *column);

#endif
