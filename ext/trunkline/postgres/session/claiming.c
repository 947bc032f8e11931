/* Counting the answers of futures whose values no caller has fetched yet. */
#include "claiming.h"

#include "postgres_request.h"
#include "../../common/classes.h"

/* call-seq: unclaimed(unclaimed_answers) -> request
 *
 * Has its rows counted there, until it is claimed or freed. */
static VALUE request_unclaimed(VALUE self, VALUE answers) {
    unclaimed_begin(&postgres_request_of(self)->unclaimed, answers);
    return self;
}

/* call-seq: claimed -> request
 *
 * A caller takes its answer, which is not counted from now on. */
static VALUE request_claimed(VALUE self) {
    unclaimed_end(&postgres_request_of(self)->unclaimed);
    return self;
}

void Init_trunkline_claiming(void) {
    VALUE class = rb_path2class("Trunkline::Postgres::Request");
    rb_define_method(class, "unclaimed", request_unclaimed, 1);
    rb_define_method(class, "claimed", request_claimed, 0);
}
