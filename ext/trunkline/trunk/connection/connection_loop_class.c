#include "connection_loop_class.h"

/* Trunkline::ConnectionLoop: the superclass of Trunk, whose methods the loop calls for what happens rarely. What each transaction reads and writes of a
 * trunk is here: an instance variable of an object that is defined in C takes 250 to 600 instructions, as Ruby looks the object up. */
#include "connection_loop.h"
#include "ended_scheduler.h"
#include "../../common/classes.h"

typedef struct {
    VALUE connection_object; /* a ConnectionState; nil before initialize */
    VALUE user, holder, loss;
} connection_loop_t;

static void loop_mark(void *data) {
    const connection_loop_t *loop = data;
    rb_gc_mark(loop->connection_object);
    rb_gc_mark(loop->user);
    rb_gc_mark(loop->holder);
    rb_gc_mark(loop->loss);
}

static size_t loop_memsize(const void *data) { return sizeof(connection_loop_t); }

static const rb_data_type_t loop_type = {
    .wrap_struct_name = "Trunkline::ConnectionLoop",
    .function = {.dmark = loop_mark, .dfree = RUBY_TYPED_DEFAULT_FREE, .dsize = loop_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE loop_new(int argc, VALUE *argv, VALUE class) {
    connection_loop_t *loop;
    VALUE self = TypedData_Make_Struct(class, connection_loop_t, &loop_type, loop);
    loop->connection_object = loop->user = loop->holder = loop->loss = Qnil;
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

void connection_loop_set_user(VALUE self, VALUE user) { RB_OBJ_WRITE(self, &((connection_loop_t *)RTYPEDDATA_DATA(self))->user, user); }

/* call-seq: state -> ConnectionState */
static VALUE loop_state(VALUE self) { return ((const connection_loop_t *)RTYPEDDATA_DATA(self))->connection_object; }

/* call-seq: codec -> Codec */
static VALUE loop_codec(VALUE self) {
    VALUE state = loop_state(self);
    return NIL_P(state) ? Qnil : connection_of(state)->codec;
}

/* call-seq: idle? -> true or false
 *
 * Whether it takes requests, none is in flight, and it is deserted: see ConnectionState. */
static VALUE loop_is_idle(VALUE self) {
    connection_t *connection = connection_of(loop_state(self));
    connection_forget_dropped(connection);
    return RBOOL(!connection->shut && connection_in_flight(connection)->fifo.count == 0 && connection_is_deserted(connection));
}

/* call-seq: user -> Object or nil
 *
 * The user of a reserved trunk, which has alive? and shared?; nil: it is not reserved, or reserved for as long as the client is open. */
static VALUE loop_user(VALUE self) { return ((const connection_loop_t *)RTYPEDDATA_DATA(self))->user; }

static VALUE loop_set_user(VALUE self, VALUE user) {
    connection_loop_set_user(self, user);
    return user;
}

/* call-seq: holder -> Object or nil
 *
 * For what it is reserved, for messages. */
static VALUE loop_holder(VALUE self) { return ((const connection_loop_t *)RTYPEDDATA_DATA(self))->holder; }

static VALUE loop_set_holder(VALUE self, VALUE holder) {
    RB_OBJ_WRITE(self, &((connection_loop_t *)RTYPEDDATA_DATA(self))->holder, holder);
    return holder;
}

/* call-seq: loss -> Loss or nil
 *
 * How the connection has ended; nil: it has not. */
static VALUE loop_loss(VALUE self) { return ((const connection_loop_t *)RTYPEDDATA_DATA(self))->loss; }

/* call-seq: loss = Loss
 *
 * For subclasses. */
static VALUE loop_set_loss(VALUE self, VALUE loss) {
    RB_OBJ_WRITE(self, &((connection_loop_t *)RTYPEDDATA_DATA(self))->loss, loss);
    return loss;
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
    rb_define_method(class, "state", loop_state, 0);
    rb_define_method(class, "codec", loop_codec, 0);
    rb_define_method(class, "idle?", loop_is_idle, 0);
    rb_define_method(class, "user", loop_user, 0);
    rb_define_method(class, "user=", loop_set_user, 1);
    rb_define_method(class, "holder", loop_holder, 0);
    rb_define_method(class, "holder=", loop_set_holder, 1);
    rb_define_method(class, "loss", loop_loss, 0);
    rb_define_private_method(class, "loss=", loop_set_loss, 1);
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
