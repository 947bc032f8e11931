#include "column_decoder.h"
#include "decoders.h"

/* OIDs as in PostgreSQL's pg_type.dat; they never change. xml is not used in binary format, because the server writes another declaration into it
 * than into the text. */
static const pg_type_t types[] = {
    {16, 1000, "bool", decode_bool_text, decode_bool_binary, 40, false},
    {17, 1001, "bytea", decode_bytea_text, decode_bytea_binary, 40, false},
    {18, 1002, "\"char\"", decode_char_text, decode_char_binary, 40, false},
    {19, 1003, "name", decode_text, decode_text, 40, false},
    {20, 1016, "bigint", decode_int8_text, decode_int8_binary, 40, false},
    {21, 1005, "smallint", decode_int2_text, decode_int2_binary, 40, false},
    {23, 1007, "integer", decode_int4_text, decode_int4_binary, 40, false},
    {25, 1009, "text", decode_text, decode_text, 40, false},
    {26, 1028, "oid", decode_oid_text, decode_oid_binary, 40, false},
    {114, 199, "json", decode_text, decode_text, 40, true},
    {142, 143, "xml", decode_text, NULL, 40, false},
    {650, 651, "cidr", decode_text, decode_cidr_binary, 88, true},
    {700, 1021, "real", decode_float_text, decode_float4_binary, 40, false},
    {701, 1022, "double precision", decode_float_text, decode_float8_binary, 40, false},
    {705, 0, "unknown", decode_text, decode_text, 40, false},
    {869, 1041, "inet", decode_text, decode_inet_binary, 88, true},
    {1042, 1014, "character", decode_text, decode_text, 40, false},
    {1043, 1015, "character varying", decode_text, decode_text, 40, false},
    {1082, 1182, "date", decode_date_text, decode_date_binary, 80, false},
    {1083, 1183, "time", decode_time_text, decode_time_binary, 40, false},
    {1114, 1115, "timestamp", decode_timestamp_text, decode_timestamp_binary, 128, false},
    {1184, 1185, "timestamptz", decode_timestamptz_text, decode_timestamptz_binary, 128, false},
    {1186, 1187, "interval", decode_interval_text, decode_interval_binary, 80, false},
    {1266, 1270, "timetz", decode_timetz_text, decode_timetz_binary, 40, false},
    {1700, 1231, "numeric", decode_numeric_text, decode_numeric_binary, 128, false}, /* 80 and more for many digits; since Ruby 3.3 80, 160 or more */
    {2278, 0, "void", decode_text, decode_text, 40, false},
    {2950, 2951, "uuid", decode_text, decode_uuid_binary, 80, false},
    {3802, 3807, "jsonb", decode_text, decode_jsonb_binary, 40, true},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0], OID_LIMIT = 3808 };

static const pg_type_t server_text = {0, 0, "text of another type", decode_text, NULL, 40, false};

/* Index in `types` plus one, 0 for none: of a type, and of the element type of an array. */
static uint8_t type_at[OID_LIMIT], element_at[OID_LIMIT];

bool column_decoder_for(uint32_t oid, column_decoder_t *out) {
    out->type = &server_text;
    out->array = false;
    if (oid >= OID_LIMIT) return false;
    out->array = element_at[oid] != 0;

    int position = out->array ? element_at[oid] : type_at[oid];
    if (position == 0) return false;
    out->type = &types[position - 1];
    return true;
}

void column_decoder_for_text(uint32_t oid, column_decoder_t *out) {
    if (column_decoder_for(oid, out) && !out->array && out->type->text == decode_text) return;
    *out = (column_decoder_t){.type = &server_text};
}

void column_decoder_for_bytes(column_decoder_t *out) {
    static const pg_type_t bytes = {.name = "bytes", .text = decode_bytea_binary, .binary = decode_bytea_binary};
    *out = (column_decoder_t){.type = &bytes};
}

bool column_decoder_binary(const column_decoder_t *decoder) {
    return decoder->type->binary != NULL;
}

bool column_decoder_finished_in_ruby(const column_decoder_t *decoder) {
    return decoder->type->finished_in_ruby;
}

bool column_decoder_calls_ruby(const column_decoder_t *decoder) {
    return decoder->array || decoder->type->text == decode_numeric_text || decoder->type->text == decode_date_text;
}

VALUE column_decode(const column_decoder_t *decoder, int format, const char *bytes, size_t length, row_memory_t *memory) {
    const pg_type_t *type = decoder->type;

    if (format == FORMAT_BINARY) {
        if (type->binary == NULL) raise_malformed(type->name);
        return decoder->array ? decode_array_binary(type, bytes, length, memory) : type->binary(bytes, length);
    }
    return decoder->array ? decode_array_text(type, bytes, length, memory) : type->text(bytes, length);
}

void Init_trunkline_column_decoder(void) {
    for (int i = 0; i < TYPE_COUNT; i++) {
        type_at[types[i].oid] = (uint8_t)(i + 1);
        if (types[i].array_oid) element_at[types[i].array_oid] = (uint8_t)(i + 1);
    }
}
