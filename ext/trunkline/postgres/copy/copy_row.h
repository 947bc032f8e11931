/* Rows of COPY TO STDOUT -> Arrays. All raise ProtocolError for malformed bytes; those with memory also UnreadableResult, as row_decode.
 * Each function here may run Ruby, where column_decode does.
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9 */
#ifndef TRUNKLINE_COPY_ROW_H
#define TRUNKLINE_COPY_ROW_H

#include <ruby.h>
#include "../rows/description.h"
#include "../../bytes/reader.h"

/* Decodes one line of the text format, with tabs between its values and a newline at its end. */
VALUE copy_row_text(const description_t *description, const char *line, size_t length, row_memory_t *memory);

/* Reads the header of the binary format. */
void copy_row_header(reader_t *reader);

/* Decodes the next row in binary format; nil: the end. */
VALUE copy_row_binary(const description_t *description, reader_t *reader, row_memory_t *memory);

#endif
