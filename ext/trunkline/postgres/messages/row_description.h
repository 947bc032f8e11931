/* Reads RowDescription and ParameterDescription, and nothing past their ends. */
#ifndef TRUNKLINE_ROW_DESCRIPTION_H
#define TRUNKLINE_ROW_DESCRIPTION_H

#include "../../bytes/reader.h"

typedef struct {
    const char *name;
    size_t name_length;
    uint32_t table;   /* the table's OID; 0: the column is not one of a table */
    int16_t number;   /* attribute number in that table; 0: none */
    int16_t size;     /* bytes of a value; -1: variable */
    uint32_t type;
    int32_t modifier; /* type modifier; -1: none */
} column_t;

/* The number of columns that follow; sets reader->whole to false if there are too few bytes for so many. */
uint16_t row_description_open(reader_t *reader);

/* The next column. False: the message ends too early. */
bool row_description_column(reader_t *reader, column_t *column);

#endif
