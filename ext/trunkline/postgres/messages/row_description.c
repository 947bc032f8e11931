#include "row_description.h"

/* A name's zero byte, table, attribute number, type, size, modifier, format. */
#define SMALLEST_COLUMN (1 + 4 + 2 + 4 + 2 + 4 + 2)

uint16_t row_description_open(reader_t *reader) {
    uint16_t count = reader_u16(reader);
    if ((size_t)count * SMALLEST_COLUMN > reader_left(reader)) reader->whole = false;
    return count;
}

bool row_description_column(reader_t *reader, column_t *column) {
    column->name = reader_string(reader, &column->name_length);
    column->table = reader_u32(reader);
    column->number = (int16_t)reader_u16(reader);
    column->type = reader_u32(reader);
    column->size = (int16_t)reader_u16(reader);
    column->modifier = (int32_t)reader_u32(reader);
    reader_take(reader, 2);
    return reader->whole;
}
