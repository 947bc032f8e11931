#include "connection_loop_class.h"

/* Trunkline::ConnectionLoop: the superclass of Trunk, whose methods the loop calls for what happens rarely. */
#include "connection_loop.h"
#include "../../common/classes.h"

typedef struct {
    VALUE connection_object; /* a ConnectionState; nil before initialize */
} connection_loop_t;

static void loop_mark(void *data) { rb_gc_mark(((connection_loop_t *)data)->connection_object); }
static size_t loop_memsize(const void *data) { return sizeof(connection_loop_t); }

static const rb_data_type_t loop_type = {
    .wrap_struct_name = "Trunkline::ConnectionLoop",
    .function = {.dmark = loop_mark, .dfree = RUBY_TYPED_DEFAULT_FREE, .dsize = loop_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE loop_new(int argc, VALUE *argv, VALUE class) {
    connection_loop_t *loop;
    VALUE self = TypedData_Make_Struct(class, connection_loop_t, &loop_type, loop);
    loop->connection_object = Qnil;
    return trunkline_initialized(self, argc, argv);
}

/* call-seq: ConnectionLoop.new(connection_state) */
static VALUE loop_initialize(VALUE self, VALUE connection_object) {
    connection_loop_t *loop = RTYPEDDATA_DATA(self);
    connection_checked(connection_object);
    RB_OBJ_WRITE(self, &loop->connection_object, connection_object);
    return self;
}

connection_t *connection_loop_connection(VALUE object) {
    if (!rb_typeddata_is_kind_of(object, &loop_type)) return NULL;
    VALUE state = ((const connection_loop_t *)RTYPEDDATA_DATA(object))->connection_object;
    return NIL_P(state) ? NULL : connection_of(state);
}

/* For a method's receiver. Raises TypeError before initialize. */
static connection_io_t io_of(VALUE self, VALUE request) {
    return connection_io_for(self, ((connection_loop_t *)RTYPEDDATA_DATA(self))->connection_object, request);
}

/* call-seq: perform(request) -> true or false
 *
 * Sends the request, and waits for its answer or until its waiter's time is over. False: the connection did not take it, and the request is
 * unchanged. */
static VALUE loop_perform(VALUE self, VALUE request) {
    connection_io_t io = io_of(self, request);
    return RBOOL(connection_loop_perform(&io));
}

/* call-seq: submit(request) -> true or false
 *
 * For subclasses, which mask interrupts. */
static VALUE loop_submit(VALUE self, VALUE request) {
    connection_io_t io = io_of(self, request);
    return RBOOL(connection_loop_submit(&io));
}

/* call-seq: await_answer(request) -> true or false
 *
 * Whether the answer is there; false: the waiter's time is over. */
static VALUE loop_await_answer(VALUE self, VALUE request) {
    connection_io_t io = io_of(self, request);
    return RBOOL(connection_loop_await_answer(&io));
}

static VALUE loop_step(VALUE self, VALUE request) {
    connection_io_t io = io_of(self, request);
    connection_loop_step(&io);
    return Qnil;
}

static VALUE loop_leave(VALUE self, VALUE request) {
    connection_io_t io = io_of(self, request);
    connection_loop_leave(&io);
    return Qnil;
}

static VALUE loop_decode_input(VALUE self) {
    connection_io_t io = io_of(self, Qnil);
    return RBOOL(connection_loop_decode_input(&io, false));
}

static VALUE loop_flush(VALUE self) {
    connection_io_t io = io_of(self, Qnil);
    connection_io_flush(&io);
    return Qnil;
}

static VALUE loop_sleep_until_ready(VALUE self) {
    connection_io_t io = io_of(self, Qnil);
    connection_io_sleep(&io);
    return Qnil;
}

static VALUE loop_wake_all(VALUE self) {
    connection_loop_wake_all(io_of(self, Qnil).connection);
    return Qnil;
}

void Init_trunkline_connection_loop_class(void) {
    VALUE class = rb_define_class_under(mTrunkline, "ConnectionLoop", rb_cObject);
    trunkline_define_new(class, loop_new);
    rb_define_private_method(class, "initialize", loop_initialize, 1);
    rb_define_method(class, "perform", loop_perform, 1);
    rb_define_private_method(class, "submit", loop_submit, 1);
    rb_define_method(class, "await_answer", loop_await_answer, 1);
    rb_define_method(class, "step", loop_step, 1);
    rb_define_method(class, "leave", loop_leave, 1);
    rb_define_method(class, "decode_input", loop_decode_input, 0);
    rb_define_method(class, "flush", loop_flush, 0);
    rb_define_method(class, "sleep_until_ready", loop_sleep_until_ready, 0);
    rb_define_private_method(class, "wake_all", loop_wake_all, 0);
}
