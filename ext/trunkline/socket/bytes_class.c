#include "bytes_class.h"

#include "process_generation.h"
#include "socket.h"
#include "../common/classes.h"

/* Bytes that the buffer has free for one read. With half or double of it, values of 1 MB, results of 2000 rows and single values take the same
 * processor time: 1.4 to 1.5 ms, 0.5 to 0.7 ms and 15 us, medians of 5, where runs differ by a third. */
#define RECEIVE_AT_LEAST 65536
/* Bytes of memory that an empty buffer keeps. With half of it a value of 1 MB takes 1.8 ms of processor time, not 1.5, as its memory is freed and
 * allocated again each time; with double 1.4 ms, and idle connections may keep twice the memory. */
#define KEPT_WHEN_EMPTY (1 << 20)

VALUE cTrunklineBytes;
static VALUE eForked, sym_received, sym_blocked, sym_closed;

typedef struct {
    buffer_t buffer;
    unsigned int generation;
    size_t accounted; /* bytes of memory that were reported to the garbage collector */
    uint64_t transfers; /* number of reads into it and of writes from it */
} bytes_t;

/* Reports the buffer's memory, from malloc, to the garbage collector. */
static void account(bytes_t *bytes) {
    size_t capacity = bytes->buffer.capacity;
    if (capacity == bytes->accounted) return;
    ssize_t change = (ssize_t)capacity - (ssize_t)bytes->accounted;
    bytes->accounted = capacity;
    rb_gc_adjust_memory_usage(change);
}

static void bytes_free(void *data) {
    bytes_t *bytes = data;
    buffer_release(&bytes->buffer);
    account(bytes);
    ruby_xfree(bytes);
}

static size_t bytes_memsize(const void *data) {
    const bytes_t *bytes = data;
    return sizeof *bytes + bytes->buffer.capacity;
}

static const rb_data_type_t bytes_type = {
    .wrap_struct_name = "Trunkline::Bytes",
    .function = {.dfree = bytes_free, .dsize = bytes_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE bytes_allocate(VALUE class) {
    bytes_t *bytes;
    VALUE self = TypedData_Make_Struct(class, bytes_t, &bytes_type, bytes);
    bytes->generation = process_generation;
    return self;
}

static bytes_t *bytes_of(VALUE self) { return RTYPEDDATA_DATA(self); }

buffer_t *bytes_buffer(VALUE self) { return &bytes_of(self)->buffer; }

uint64_t bytes_transfers(VALUE self) { return bytes_of(self)->transfers; }

void bytes_count_transfer(VALUE self) {
    bytes_of(self)->transfers++;
    account(bytes_of(self));
}

void bytes_settle(VALUE self) {
    bytes_t *bytes = bytes_of(self);
    buffer_shrink(&bytes->buffer, KEPT_WHEN_EMPTY);
    account(bytes);
}

/* The struct for reading or writing; raises in a forked child that inherited the descriptor. */
static bytes_t *bytes_to_move(VALUE self) {
    bytes_t *bytes = bytes_of(self);
    if (bytes->generation != process_generation) rb_raise(eForked, "this connection belongs to the parent process");
    return bytes;
}

socket_status_t bytes_receive(VALUE self, int descriptor) {
    bytes_t *bytes = bytes_of(self);
    socket_status_t status = socket_receive(descriptor, &bytes->buffer, RECEIVE_AT_LEAST);
    if (status == SOCKET_MOVED) bytes_count_transfer(self);
    return status;
}

socket_status_t bytes_send(VALUE self, int descriptor) {
    bytes_t *bytes = bytes_of(self);
    bytes->transfers++;
    socket_status_t status = socket_send(descriptor, &bytes->buffer);
    if (status == SOCKET_MOVED) bytes_settle(self);
    return status;
}

VALUE bytes_received(socket_status_t status) { return status == SOCKET_MOVED ? sym_received : status == SOCKET_CLOSED ? sym_closed : sym_blocked; }

/* call-seq: receive_from(descriptor) -> :received, :blocked or :closed
 *
 * Reads what the non-blocking descriptor has now. :blocked: nothing; :closed: the peer has closed, and nothing more will come. */
static VALUE bytes_receive_from(VALUE self, VALUE descriptor) {
    bytes_to_move(self);
    socket_status_t status = bytes_receive(self, NUM2INT(descriptor));
    if (status == SOCKET_FAILED) rb_sys_fail("recv");
    return bytes_received(status);
}

/* call-seq: send_to(descriptor) -> true or false
 *
 * Writes as much as the non-blocking descriptor takes now. True: nothing is left. */
static VALUE bytes_send_to(VALUE self, VALUE descriptor) {
    bytes_to_move(self);
    switch (bytes_send(self, NUM2INT(descriptor))) {
    case SOCKET_MOVED: return Qtrue;
    case SOCKET_BLOCKED: return Qfalse;
    default: rb_sys_fail("send");
    }
}

/* call-seq: take(count, string) -> string
 *
 * Moves the first bytes, up to count, into the String, whose content they replace. */
static VALUE bytes_take(VALUE self, VALUE count, VALUE string) {
    bytes_t *bytes = bytes_to_move(self);
    buffer_t *buffer = &bytes->buffer;
    size_t size = NUM2SIZET(count);
    bytes->transfers++;
    if (size > buffer_size(buffer)) size = buffer_size(buffer);
    StringValue(string);
    rb_str_resize(string, 0);
    rb_str_cat(string, buffer_bytes(buffer), (long)size);
    buffer_consume(buffer, size);
    buffer_shrink(buffer, KEPT_WHEN_EMPTY);
    return string;
}

/* call-seq: bytes << string -> bytes */
static VALUE bytes_append(VALUE self, VALUE string) {
    StringValue(string);
    buffer_shrink(&bytes_of(self)->buffer, KEPT_WHEN_EMPTY);
    if (!buffer_append(&bytes_of(self)->buffer, RSTRING_PTR(string), RSTRING_LEN(string))) rb_memerror();
    if (RSTRING_LEN(string) > 0) bytes_of(self)->transfers++;
    account(bytes_of(self));
    return self;
}

/* call-seq: transfers -> Integer
 *
 * How often bytes were received or sent. */
static VALUE bytes_get_transfers(VALUE self) { return ULL2NUM(bytes_transfers(self)); }

/* call-seq: size -> Integer */
static VALUE bytes_size(VALUE self) { return SIZET2NUM(buffer_size(&bytes_of(self)->buffer)); }

/* call-seq: empty? -> true or false */
static VALUE bytes_is_empty(VALUE self) { return RBOOL(buffer_size(&bytes_of(self)->buffer) == 0); }

/* call-seq: to_s -> String
 *
 * A binary copy of the bytes that are not consumed. */
static VALUE bytes_to_s(VALUE self) {
    buffer_t *buffer = &bytes_of(self)->buffer;
    return rb_str_new(buffer_bytes(buffer), buffer_size(buffer));
}

/* call-seq: Trunkline.process_generation -> Integer
 *
 * The number of forks between the process that loaded the library and this one. */
static VALUE generation(VALUE self) { return UINT2NUM(process_generation); }

void Init_trunkline_bytes(void) {
    sym_received = ID2SYM(rb_intern("received"));
    sym_blocked = ID2SYM(rb_intern("blocked"));
    sym_closed = ID2SYM(rb_intern("closed"));
    rb_define_singleton_method(mTrunkline, "process_generation", generation, 0);
    process_generation_watch();
    eForked = rb_const_get(mTrunkline, rb_intern("ConnectionError"));
    rb_gc_register_mark_object(eForked);
    cTrunklineBytes = rb_define_class_under(mTrunkline, "Bytes", rb_cObject);
    rb_define_alloc_func(cTrunklineBytes, bytes_allocate);
    rb_define_method(cTrunklineBytes, "receive_from", bytes_receive_from, 1);
    rb_define_method(cTrunklineBytes, "send_to", bytes_send_to, 1);
    rb_define_method(cTrunklineBytes, "take", bytes_take, 2);
    rb_define_method(cTrunklineBytes, "<<", bytes_append, 1);
    rb_define_method(cTrunklineBytes, "transfers", bytes_get_transfers, 0);
    rb_define_method(cTrunklineBytes, "size", bytes_size, 0);
    rb_define_method(cTrunklineBytes, "empty?", bytes_is_empty, 0);
    rb_define_method(cTrunklineBytes, "to_s", bytes_to_s, 0);
}
