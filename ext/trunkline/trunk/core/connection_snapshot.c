#include "connection_snapshot.h"

/* ConnectionState#snapshot: for a test or a person that looks for a caller that nothing will wake. */
#include "connection.h"
#include "../../common/classes.h"

/* To allocate may collect garbage, and with it parked requests: the list is looked at when there is room for all. */
static VALUE parked(const connection_t *connection) {
    long count = 0;
    for (const request_t *request = connection->parked.newer; request != &connection->parked; request = request->newer) count++;
    VALUE array = rb_ary_new_capa(count);
    for (const request_t *request = connection->parked.newer; request != &connection->parked; request = request->newer) {
        rb_ary_push(array, request->self);
    }
    return array;
}

static void set(VALUE hash, const char *name, VALUE value) { rb_hash_aset(hash, ID2SYM(rb_intern(name)), value); }

/* call-seq: snapshot -> Hash
 *
 * The active callers, at one moment: the requests whose waiters lead, are to lead and are parked; and why the trunk is shut. */
static VALUE connection_snapshot(VALUE self) {
    const connection_t *connection = RTYPEDDATA_DATA(self);
    VALUE state = rb_hash_new();
    set(state, "parked", parked(connection));
    set(state, "active", SIZET2NUM(connection->active));
    set(state, "endings", SIZET2NUM(connection->endings));
    set(state, "leader", connection->leader);
    set(state, "next_leader", connection->next_leader);
    set(state, "shut", RBOOL(connection->shut));
    set(state, "canceller", connection->cancelling.canceller);
    set(state, "fence", connection->cancelling.fence);
    set(state, "exposed", RBOOL(connection->cancelling.exposed));
    set(state, "sealed", RBOOL(connection->cancelling.sealed));
    return state;
}

void Init_trunkline_connection_snapshot(void) {
    rb_define_method(rb_const_get(mTrunkline, rb_intern("ConnectionState")), "snapshot", connection_snapshot, 0);
}
