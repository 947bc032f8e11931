#include "protocol_error.h"

#include "../../common/classes.h"

void protocol_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    VALUE message = rb_vsprintf(format, arguments);
    va_end(arguments);
    VALUE class = rb_const_get(mTrunkline, rb_intern("ProtocolError"));
    rb_exc_raise(rb_class_new_instance(1, &message, class));
}
