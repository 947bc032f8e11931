#include "decoders.h"
#include "../../bytes/big_endian.h"
#include "decimal.h"
#include "shortest_float.h"

#include <string.h>

VALUE decode_float_text(const char *bytes, size_t length) {
    double value;

    if (!decimal_to_double(bytes, length, &value)) raise_malformed("floating point");
    return DBL2NUM(value);
}

VALUE decode_float4_binary(const char *bytes, size_t length) {
    float value;

    if (length != sizeof value) raise_malformed("real");
    uint32_t bits = read_u32(bytes);
    memcpy(&value, &bits, sizeof value);
    return DBL2NUM(shortest_float(value));
}

VALUE decode_float8_binary(const char *bytes, size_t length) {
    double value;

    if (length != sizeof value) raise_malformed("double precision");
    uint64_t bits = read_u64(bytes);
    memcpy(&value, &bits, sizeof value);
    return DBL2NUM(value);
}
