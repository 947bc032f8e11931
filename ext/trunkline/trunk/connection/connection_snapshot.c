#include "connection_snapshot.h"

/* ConnectionState#snapshot: for tests and for debugging callers that are never woken. */
#include "connection.h"
#include "../../common/classes.h"

/* Allocating may collect garbage, parked requests included: so the list is read after the Array has room for all. */
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
 * The state of the callers at one moment: how many are active, the requests whose waiters lead, were woken to lead, or are parked; and why the
 * connection takes no new requests. */
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
