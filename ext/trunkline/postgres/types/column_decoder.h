/* PostgreSQL's bytes -> Ruby values. The codec gets one decoder per result column, and calls column_decode for each value that is not NULL. */
#ifndef TRUNKLINE_COLUMN_DECODER_H
#define TRUNKLINE_COLUMN_DECODER_H

#include "pg_type.h"

typedef struct {
    const pg_type_t *type; /* never NULL */
    bool array;
} column_decoder_t;

enum { FORMAT_TEXT = 0, FORMAT_BINARY = 1 };

/* Sets the decoder of a type. False: the OID is not built in, and *out decodes to the server's text. Constant time. */
bool column_decoder_for(uint32_t oid, column_decoder_t *out);

/* Sets a decoder to the server's text, for any type; it uses the binary format where that is the same. */
void column_decoder_for_text(uint32_t oid, column_decoder_t *out);

/* Sets a decoder to the bytes that the server sends, for any type and format. */
void column_decoder_for_bytes(column_decoder_t *out);

/* Whether the column can be decoded in binary format. */
bool column_decoder_binary(const column_decoder_t *decoder);

/* Whether Ruby converts the decoded values, or the elements of decoded Arrays, to the final ones. */
bool column_decoder_finished_in_ruby(const column_decoder_t *decoder);

/* Whether decoding makes an Array, or an object of a class that Ruby code may change: that may raise other errors than ProtocolError. */
bool column_decoder_calls_ruby(const column_decoder_t *decoder);

/* Decodes one value. Arrays and their elements count for the row's memory, which may be NULL where column_decoder_calls_ruby is false. Raises
 * Trunkline::ProtocolError for malformed bytes, and UnreadableResult when the row takes more memory than allowed. May run Ruby where
 * column_decoder_calls_ruby is true: BigDecimal(), Time and Date. */
VALUE column_decode(const column_decoder_t *decoder, int format, const char *bytes, size_t length, row_memory_t *memory);

/* Fills the index by OID; called once, as the extension is loaded. */
void Init_trunkline_column_decoder(void);

#endif
