#include "tls_session.h"

#include <errno.h>
#include <stdio.h>
#include "bytes_class.h"
#include "libssl.h"
#include "process_generation.h"
#include "../bytes/buffer.h"
#include "../common/classes.h"

#define RECORD (16 * 1024) /* bytes, the most that TLS carries in one */
/* Bytes that are free for one read, a bound on memory: with half and double of it, values of 1 MB take 1.4 to 1.6 ms of processor time, results of 2000
 * rows 0.9 to 1.2 ms and single values 16 to 21 us, in no order (medians of 5, load 30). */
#define RECEIVE_AT_LEAST (2 * RECORD)

/* Owned by the Ruby object and by the BIO of libssl's object together: the last one that is freed frees it. */
typedef struct {
    VALUE socket; /* the SSLSocket, which owns `ssl`; nil: the Ruby object was freed */
    SSL *ssl;
    buffer_t received; /* encrypted input for libssl; empty except while libssl reads */
    buffer_t sealed;   /* encrypted output */
    int references;
    unsigned int generation;
    bool unread; /* libssl may hold decrypted bytes */
    bool ended;  /* the peer has sent close_notify, or has closed the connection */
    bool broken; /* libssl has failed, and must not be called again */
    const char *call; /* the system call that failed; NULL: libssl has failed, see reason */
    int number;       /* errno of that call */
    char reason[160];
} tls_session_t;

static BIO_METHOD *bio_method;
static const rb_data_type_t *socket_type;
static VALUE eConnectionError;

static void release(tls_session_t *session) {
    if (--session->references > 0) return;
    buffer_release(&session->received);
    buffer_release(&session->sealed);
    ruby_xfree(session);
}

static void session_mark(void *data) { rb_gc_mark(((tls_session_t *)data)->socket); }

static void session_free(void *data) {
    tls_session_t *session = data;
    session->socket = Qnil;
    release(session);
}

static size_t session_memsize(const void *data) {
    const tls_session_t *session = data;
    return sizeof *session + session->received.capacity + session->sealed.capacity;
}

static const rb_data_type_t session_type = {
    .wrap_struct_name = "Trunkline::TLSSession",
    .function = {.dmark = session_mark, .dfree = session_free, .dsize = session_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static tls_session_t *session_of(VALUE self) { return RTYPEDDATA_DATA(self); }

void tls_session_check(VALUE self) { rb_check_typeddata(self, &session_type); }

/* The BIO's functions, which libssl calls. */

static int bio_read(BIO *bio, char *bytes, int size) {
    buffer_t *received = &((tls_session_t *)libssl.BIO_get_data(bio))->received;
    libssl.BIO_clear_flags(bio, LIBSSL_BIO_FLAGS_RETRY);
    size_t count = buffer_size(received) < (size_t)size ? buffer_size(received) : (size_t)size;
    if (count == 0) {
        libssl.BIO_set_flags(bio, LIBSSL_BIO_FLAGS_READ | LIBSSL_BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    memcpy(bytes, buffer_bytes(received), count);
    buffer_consume(received, count);
    return (int)count;
}

static int bio_write(BIO *bio, const char *bytes, int size) {
    tls_session_t *session = libssl.BIO_get_data(bio);
    libssl.BIO_clear_flags(bio, LIBSSL_BIO_FLAGS_RETRY);
    return buffer_append(&session->sealed, bytes, (size_t)size) ? size : -1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) { return command == LIBSSL_BIO_CTRL_FLUSH; }

static int bio_destroy(BIO *bio) {
    tls_session_t *session = libssl.BIO_get_data(bio);
    if (session) release(session);
    libssl.BIO_set_data(bio, NULL);
    return 1;
}

static BIO_METHOD *new_bio_method(void) {
    BIO_METHOD *method = libssl.BIO_meth_new(LIBSSL_BIO_TYPE_SOURCE_SINK, "Trunkline");
    if (!method) rb_memerror();
    libssl.BIO_meth_set_read(method, bio_read);
    libssl.BIO_meth_set_write(method, bio_write);
    libssl.BIO_meth_set_ctrl(method, bio_control);
    libssl.BIO_meth_set_destroy(method, bio_destroy);
    return method;
}

static socket_status_t fail_by_errno(tls_session_t *session, const char *call) {
    session->number = errno;
    session->call = call;
    return SOCKET_FAILED;
}

/* libssl has a queue of errors per thread, which is left empty for Ruby's openssl. */
static void break_down(tls_session_t *session) {
    const char *reason = libssl.ERR_reason_error_string(libssl.ERR_peek_last_error());
    snprintf(session->reason, sizeof session->reason, "%s", reason ? reason : "the reason is not known");
    session->call = NULL;
    session->broken = true;
    libssl.ERR_clear_error();
}

/* Decrypts until libssl needs more input. False: no memory. */
static bool decrypt(tls_session_t *session, buffer_t *input) {
    libssl.ERR_clear_error();
    for (;;) {
        if (!buffer_reserve(input, RECORD)) return false;
        size_t left = buffer_size(&session->received);
        int count = libssl.SSL_read(session->ssl, input->start + input->tail, RECORD);
        if (count > 0) {
            input->tail += (size_t)count;
            continue;
        }
        switch (libssl.SSL_get_error(session->ssl, count)) {
        case LIBSSL_ERROR_WANT_READ: /* without SSL_MODE_AUTO_RETRY also after a record without data */
            if (buffer_size(&session->received) > 0 && buffer_size(&session->received) < left) continue;
            break;
        case LIBSSL_ERROR_ZERO_RETURN: session->ended = true; break;
        default: break_down(session);
        }
        session->unread = false;
        return true;
    }
}

/* Reads the socket once, and decrypts all of that. */
static socket_status_t receive_once(tls_session_t *session, buffer_t *input, int descriptor) {
    socket_status_t status = socket_receive(descriptor, &session->received, RECEIVE_AT_LEAST);
    if (status == SOCKET_FAILED) fail_by_errno(session, "recv");
    if (status == SOCKET_MOVED) session->unread = true;
    if (session->unread && !decrypt(session, input)) {
        errno = ENOMEM;
        return fail_by_errno(session, "recv");
    }
    if (session->broken) return SOCKET_FAILED;
    return session->ended ? SOCKET_CLOSED : status;
}

/* Reads again if only records without data came, tickets for example: the end may follow. A server that closes without close_notify counts as closed:
 * its protocol marks the end of messages. */
socket_status_t tls_session_receive(VALUE self, VALUE bytes, int descriptor) {
    tls_session_t *session = session_of(self);
    buffer_t *input = bytes_buffer(bytes);
    if (session->broken) return SOCKET_FAILED;
    if (session->ended) return SOCKET_CLOSED;
    size_t before = buffer_size(input);
    socket_status_t status;
    do status = receive_once(session, input, descriptor);
    while (status == SOCKET_MOVED && buffer_size(input) == before);
    if (buffer_size(&session->sealed) > 0) socket_send(descriptor, &session->sealed); /* if that fails, so will the next read or write */
    if (buffer_size(input) == before) return status;
    bytes_count_transfer(bytes);
    return SOCKET_MOVED;
}

/* False: libssl has failed. It writes to memory, so it never has to wait. */
static bool encrypt(tls_session_t *session, buffer_t *output) {
    int size = buffer_size(output) < RECORD ? (int)buffer_size(output) : RECORD;
    libssl.ERR_clear_error();
    int count = libssl.SSL_write(session->ssl, buffer_bytes(output), size);
    if (count > 0) buffer_consume(output, (size_t)count);
    else break_down(session);
    return count > 0;
}

socket_status_t tls_session_send(VALUE self, VALUE bytes, int descriptor) {
    tls_session_t *session = session_of(self);
    buffer_t *output = bytes_buffer(bytes);
    if (session->broken) return SOCKET_FAILED;
    bytes_count_transfer(bytes);
    for (;;) {
        socket_status_t status = socket_send(descriptor, &session->sealed);
        if (status == SOCKET_FAILED) return fail_by_errno(session, "send");
        if (status == SOCKET_BLOCKED) return status;
        if (buffer_size(output) == 0) break;
        if (!encrypt(session, output)) return SOCKET_FAILED;
    }
    bytes_settle(bytes);
    return SOCKET_MOVED;
}

bool tls_session_is_flushed(VALUE self) { return buffer_size(&session_of(self)->sealed) == 0; }

bool tls_session_has_buffered_input(VALUE self) {
    const tls_session_t *session = session_of(self);
    return session->unread || session->ended || session->broken;
}

VALUE tls_session_error(VALUE self) {
    const tls_session_t *session = session_of(self);
    if (session->call) return rb_syserr_new(session->number, session->call);
    return rb_exc_new_str(eConnectionError, rb_sprintf("the encrypted connection broke: %s", session->reason));
}

/* The class in Ruby. */

/* The C struct of an object of Ruby's openssl extension, whose type is identified by its name; or NULL. */
static void *struct_of(VALUE object, const char *name) {
    if (!RB_TYPE_P(object, T_DATA) || !RTYPEDDATA_P(object) || strcmp(RTYPEDDATA_TYPE(object)->wrap_struct_name, name) != 0) return NULL;
#ifdef RTYPEDDATA_GET_DATA
    return RTYPEDDATA_GET_DATA(object);
#else
    return RTYPEDDATA_DATA(object);
#endif
}

/* call-seq: TLSSession.use(file, version, context, socket) -> String or nil
 *
 * Finds the functions of the libssl that Ruby's openssl extension, loaded from this file, is linked with. version: of its library, as the extension
 * reports it. context, socket: an SSLContext and an SSLSocket of it, by which the library and the types of its objects are checked. Nil: sessions can
 * be taken over. Otherwise the reason why not. */
static VALUE session_use(VALUE class, VALUE file, VALUE version, VALUE context, VALUE socket) {
    const char *missing = libssl_find(StringValueCStr(file));
    if (missing) return rb_sprintf("its libssl does not offer %s", missing);
    if (strcmp(libssl.OpenSSL_version(LIBSSL_VERSION_TEXT), StringValueCStr(version)) != 0) return rb_str_new_cstr("the process holds two versions of libssl");
    SSL_CTX *ctx = struct_of(context, "OpenSSL/SSL/CTX");
    if (!ctx || !RB_TYPE_P(socket, T_DATA) || !RTYPEDDATA_P(socket)) return rb_str_new_cstr("the objects of Ruby's openssl are of unknown types");
    if (strcmp(RTYPEDDATA_TYPE(socket)->wrap_struct_name, "OpenSSL/SSL") != 0) return rb_str_new_cstr("the objects of Ruby's openssl are of unknown types");
    if (libssl.SSL_CTX_get_ssl_method(ctx) != libssl.TLS_method()) return rb_str_new_cstr("the process holds two copies of libssl");
    if (!bio_method) bio_method = new_bio_method();
    socket_type = RTYPEDDATA_TYPE(socket);
    return Qnil;
}

/* call-seq: TLSSession.new(socket)
 *
 * Takes over the session of an SSLSocket whose handshake is done, and which must not be read from or written to any more. TLSSession.use must have
 * returned nil. */
static VALUE session_new(int argc, VALUE *argv, VALUE class) {
    rb_check_arity(argc, 1, 1);
    if (!socket_type) rb_raise(rb_eArgError, "libssl has not been found");
    SSL *ssl = rb_check_typeddata(argv[0], socket_type);
    if (!ssl) rb_raise(rb_eArgError, "the handshake is not done");
    tls_session_t *session;
    VALUE self = TypedData_Make_Struct(class, tls_session_t, &session_type, session);
    session->socket = argv[0];
    session->ssl = ssl;
    session->generation = process_generation;
    session->unread = true;
    session->references = 1;
    BIO *bio = libssl.BIO_new(bio_method);
    if (!bio) rb_memerror();
    session->references++;
    libssl.BIO_set_data(bio, session);
    libssl.BIO_set_init(bio, 1);
    libssl.SSL_set_bio(ssl, bio, bio); /* libssl's object owns the BIO from now on; the socket's former BIO, which did not own the descriptor, is freed */
    return self;
}

/* The struct for reading or writing; raises in a forked child that inherited the descriptor. */
static tls_session_t *session_to_use(VALUE self) {
    tls_session_t *session = session_of(self);
    if (session->generation != process_generation) rb_raise(eConnectionError, "this connection belongs to the parent process");
    return session;
}

static void check_bytes(VALUE bytes) {
    if (!RTEST(rb_obj_is_kind_of(bytes, cTrunklineBytes))) rb_raise(rb_eTypeError, "no Bytes: %"PRIsVALUE, rb_obj_class(bytes));
}

/* call-seq: receive_into(bytes, descriptor) -> :received, :blocked or :closed
 *
 * Reads what the non-blocking descriptor has now, and decrypts it into the Bytes. */
static VALUE session_receive(VALUE self, VALUE bytes, VALUE descriptor) {
    session_to_use(self);
    check_bytes(bytes);
    socket_status_t status = tls_session_receive(self, bytes, NUM2INT(descriptor));
    if (status == SOCKET_FAILED) rb_exc_raise(tls_session_error(self));
    return bytes_received(status);
}

/* call-seq: send_from(bytes, descriptor) -> true or false
 *
 * Encrypts and writes as much as the non-blocking descriptor takes now. True: nothing is left. */
static VALUE session_send(VALUE self, VALUE bytes, VALUE descriptor) {
    session_to_use(self);
    check_bytes(bytes);
    switch (tls_session_send(self, bytes, NUM2INT(descriptor))) {
    case SOCKET_MOVED: return Qtrue;
    case SOCKET_BLOCKED: return Qfalse;
    default: rb_exc_raise(tls_session_error(self));
    }
}

/* call-seq: send_close_notify(descriptor) -> session
 *
 * Sends close_notify, as far as the descriptor takes it now. */
static VALUE session_send_close_notify(VALUE self, VALUE descriptor) {
    tls_session_t *session = session_to_use(self);
    if (session->broken) return self;
    libssl.ERR_clear_error();
    libssl.SSL_shutdown(session->ssl);
    libssl.ERR_clear_error();
    socket_send(NUM2INT(descriptor), &session->sealed);
    return self;
}

/* call-seq: inherited? -> true or false
 *
 * Whether a parent process has made this. */
static VALUE session_is_inherited(VALUE self) { return RBOOL(session_of(self)->generation != process_generation); }

/* call-seq: flushed? -> true or false */
static VALUE session_is_flushed(VALUE self) { return RBOOL(tls_session_is_flushed(self)); }

/* call-seq: buffered_input? -> true or false
 *
 * Whether there is something to receive that a wait for the socket would not see. */
static VALUE session_has_buffered_input(VALUE self) { return RBOOL(tls_session_has_buffered_input(self)); }

void Init_trunkline_tls_session(void) {
    VALUE class = rb_define_class_under(mTrunkline, "TLSSession", rb_cObject);
    eConnectionError = rb_const_get(mTrunkline, rb_intern("ConnectionError"));
    rb_gc_register_mark_object(eConnectionError);
    trunkline_define_new(class, session_new);
    rb_define_singleton_method(class, "use", session_use, 4);
    rb_define_method(class, "receive_into", session_receive, 2);
    rb_define_method(class, "send_from", session_send, 2);
    rb_define_method(class, "send_close_notify", session_send_close_notify, 1);
    rb_define_method(class, "inherited?", session_is_inherited, 0);
    rb_define_method(class, "flushed?", session_is_flushed, 0);
    rb_define_method(class, "buffered_input?", session_has_buffered_input, 0);
}
