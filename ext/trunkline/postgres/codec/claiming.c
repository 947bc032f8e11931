/* Whether a request's answer counts as one that no caller has asked for. */
#include "claiming.h"

#include "postgres_request.h"
#include "../../common/classes.h"

/* call-seq: unclaimed(unclaimed_answers) -> request
 *
 * The rows that come for it are counted there, until it is asked for or freed. */
static VALUE request_unclaimed(VALUE self, VALUE answers) {
    unclaimed_begin(&postgres_request_of(self)->unclaimed, answers);
    return self;
}

/* call-seq: asked -> request
 *
 * A caller has asked for its answer, which is not counted any more. */
static VALUE request_asked(VALUE self) {
    unclaimed_end(&postgres_request_of(self)->unclaimed);
    return self;
}

void Init_trunkline_claiming(void) {
    VALUE class = rb_path2class("Trunkline::Postgres::Request");
    rb_define_method(class, "unclaimed", request_unclaimed, 1);
    rb_define_method(class, "asked", request_asked, 0);
}
