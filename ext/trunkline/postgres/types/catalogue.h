/* PostgreSQL's bytes -> Ruby values. The codec asks once per result column for a
 * decoder and then calls column_decode for every value that is not NULL. */
#ifndef TRUNKLINE_CATALOGUE_H
#define TRUNKLINE_CATALOGUE_H

#include "pg_type.h"

typedef struct {
    const pg_type_t *type; /* never NULL */
    bool array;
} column_decoder_t;

enum { FORMAT_TEXT = 0, FORMAT_BINARY = 1 };

/* False: the OID is not built in, and *out decodes as the server's text. Constant time. */
bool column_decoder_for(uint32_t oid, column_decoder_t *out);

/* What decodes to the server's text, whatever the type; in binary where that is the same. */
void column_decoder_for_text(uint32_t oid, column_decoder_t *out);

/* What gives the bytes that the server sends, whatever the type and the format. */
void column_decoder_for_bytes(column_decoder_t *out);

/* Whether the column can be asked for in binary format. */
bool column_decoder_binary(const column_decoder_t *decoder);

/* Whether Ruby makes the final values, or elements of Arrays, of what C decodes. */
bool column_decoder_finished_in_ruby(const column_decoder_t *decoder);

/* Whether an object of a class that Ruby code may change is made, or an Array: that may raise other errors than ProtocolError. */
bool column_decoder_calls_ruby(const column_decoder_t *decoder);

/* Decodes one value. Arrays and what is in them count for the memory of the row, which may be NULL where column_decoder_calls_ruby says no. Raises
 * Trunkline::ProtocolError when the bytes make no sense, and UnreadableResult when the row takes more memory than it may. */
VALUE column_decode(const column_decoder_t *decoder, int format, const char *bytes, size_t length, row_memory_t *memory);

/* Fills the catalogue's index; called once, as the extension is loaded. */
void Init_trunkline_catalogue(void);

#endif
