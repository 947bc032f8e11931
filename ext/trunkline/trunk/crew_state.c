/* Crew#state: for a test or a person that looks for a caller that nothing will wake. */
#include "crew.h"
#include "../trunkline.h"

/* To allocate may collect garbage, and with it parked requests: the list is looked at when there is room for all. */
static VALUE parked(const crew_t *crew) {
    long count = 0;
    for (const request_t *request = crew->parked.newer; request != &crew->parked; request = request->newer) count++;
    VALUE array = rb_ary_new_capa(count);
    for (const request_t *request = crew->parked.newer; request != &crew->parked; request = request->newer) rb_ary_push(array, request->self);
    return array;
}

static void set(VALUE hash, const char *name, VALUE value) { rb_hash_aset(hash, ID2SYM(rb_intern(name)), value); }

/* call-seq: state -> Hash
 *
 * What is aboard, at one moment: the requests whose waiters lead, are to lead and are parked; and why the trunk is shut. */
static VALUE crew_state(VALUE self) {
    const crew_t *crew = RTYPEDDATA_DATA(self);
    VALUE state = rb_hash_new();
    set(state, "parked", parked(crew));
    set(state, "aboard", SIZET2NUM(crew->aboard));
    set(state, "endings", SIZET2NUM(crew->endings));
    set(state, "leader", crew->leader);
    set(state, "heir", crew->heir);
    set(state, "shut", RBOOL(crew->shut));
    set(state, "canceller", crew->cancelling.canceller);
    set(state, "fence", crew->cancelling.fence);
    set(state, "exposed", RBOOL(crew->cancelling.exposed));
    set(state, "sealed", RBOOL(crew->cancelling.sealed));
    return state;
}

void Init_trunkline_crew_state(void) {
    rb_define_method(rb_const_get(mTrunkline, rb_intern("Crew")), "state", crew_state, 0);
}
