#include "script_decoding.h"

/* How the rows of a script are decoded: of single statements the Statement knows it, and a script has none. */
#include "postgres_request.h"
#include "../../common/classes.h"

/* call-seq: decode_as(decoding) -> request
 *
 * Before it is sent: sets its decoding, which Decoding.of has returned, a Hash or nil. */
static VALUE request_decode_as(VALUE self, VALUE decoding) {
    if (!NIL_P(decoding)) Check_Type(decoding, T_HASH);
    postgres_request_of(self)->decoding = decoding;
    return self;
}

void Init_trunkline_script_decoding(void) {
    rb_define_method(rb_const_get(mTrunklinePostgres, rb_intern("Request")), "decode_as", request_decode_as, 1);
}
