/* The decoders that column_decoder.c chooses from, in one decode_*.c file per family. */
#ifndef TRUNKLINE_POSTGRES_DECODERS_H
#define TRUNKLINE_POSTGRES_DECODERS_H

#include "decoded_value.h"
#include "pg_type.h"

decode_function decode_bool_text, decode_bool_binary;
decode_function decode_bytea_text, decode_bytea_binary;
decode_function decode_char_text, decode_char_binary;
decode_function decode_cidr_binary, decode_inet_binary;
decode_function decode_date_text, decode_date_binary;
decode_function decode_float4_binary, decode_float8_binary, decode_float_text;
decode_function decode_int2_text, decode_int2_binary;
decode_function decode_int4_text, decode_int4_binary;
decode_function decode_int8_text, decode_int8_binary;
decode_function decode_interval_text, decode_interval_binary;
decode_function decode_jsonb_binary;
decode_function decode_numeric_text, decode_numeric_binary;
decode_function decode_oid_text, decode_oid_binary;
decode_function decode_text;
decode_function decode_time_text, decode_time_binary;
decode_function decode_timestamp_text, decode_timestamp_binary;
decode_function decode_timestamptz_text, decode_timestamptz_binary;
decode_function decode_timetz_text, decode_timetz_binary;
decode_function decode_uuid_binary;

/* Decode an array in text or binary format, and count its memory, which must not be NULL. Raise ProtocolError for malformed bytes, and UnreadableResult as
 * row_memory_take does. May run Ruby, where the element's decoder does. */
VALUE decode_array_text(const pg_type_t *element, const char *bytes, size_t length, row_memory_t *memory);
VALUE decode_array_binary(const pg_type_t *element, const char *bytes, size_t length, row_memory_t *memory);

/* Counts a decoded value's memory, if it is an object; `length` is the number of its bytes. */
void count_value(const pg_type_t *type, VALUE value, size_t length, row_memory_t *memory);

#endif
