#include "argument.h"

#include "classes.h"

VALUE argument_shown(VALUE given) {
    return rb_funcall(rb_const_get(mTrunkline, rb_intern("Argument")), rb_intern("shown"), 1, given);
}
