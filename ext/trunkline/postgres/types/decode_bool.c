#include "decoders.h"

VALUE decode_bool_text(const char *bytes, size_t length) {
    if (length == 1 && *bytes == 't') return Qtrue;
    if (length == 1 && *bytes == 'f') return Qfalse;
    raise_malformed("bool");
}

VALUE decode_bool_binary(const char *bytes, size_t length) {
    if (length == 1 && *bytes == 1) return Qtrue;
    if (length == 1 && *bytes == 0) return Qfalse;
    raise_malformed("bool");
}
