/* The functions of the libssl that Ruby's openssl extension uses, found at run time: nothing is linked, and OpenSSL's headers are not needed. The
 * declarations hold for OpenSSL from 1.1.0 on and for LibreSSL from 2.7 on; a test compares them with the headers. */
#ifndef TRUNKLINE_LIBSSL_H
#define TRUNKLINE_LIBSSL_H

#include <stdbool.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_method_st SSL_METHOD;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;

/* Constants of the binary interface: results of SSL_get_error, flags, controls and the type of a BIO, and the argument of OpenSSL_version. */
enum {
    LIBSSL_ERROR_SYSCALL = 5,
    LIBSSL_ERROR_ZERO_RETURN = 6,
    LIBSSL_ERROR_WANT_READ = 2,
    LIBSSL_BIO_FLAGS_READ = 0x01,
    LIBSSL_BIO_FLAGS_RETRY = 0x0f, /* all flags for a retry */
    LIBSSL_BIO_FLAGS_SHOULD_RETRY = 0x08,
    LIBSSL_BIO_CTRL_FLUSH = 11,
    LIBSSL_BIO_TYPE_SOURCE_SINK = 0x0400,
    LIBSSL_VERSION_TEXT = 0,
};

/* Each function, with its result and arguments. */
#define LIBSSL_FUNCTIONS(function) \
    function(int, SSL_read, (SSL *, void *, int)) \
    function(int, SSL_write, (SSL *, const void *, int)) \
    function(int, SSL_shutdown, (SSL *)) \
    function(int, SSL_get_error, (const SSL *, int)) \
    function(void, SSL_set_bio, (SSL *, BIO *, BIO *)) \
    function(const SSL_METHOD *, SSL_CTX_get_ssl_method, (const SSL_CTX *)) \
    function(const SSL_METHOD *, TLS_method, (void)) \
    function(BIO_METHOD *, BIO_meth_new, (int, const char *)) \
    function(int, BIO_meth_set_read, (BIO_METHOD *, int (*)(BIO *, char *, int))) \
    function(int, BIO_meth_set_write, (BIO_METHOD *, int (*)(BIO *, const char *, int))) \
    function(int, BIO_meth_set_ctrl, (BIO_METHOD *, long (*)(BIO *, int, long, void *))) \
    function(int, BIO_meth_set_destroy, (BIO_METHOD *, int (*)(BIO *))) \
    function(BIO *, BIO_new, (const BIO_METHOD *)) \
    function(void, BIO_set_data, (BIO *, void *)) \
    function(void *, BIO_get_data, (BIO *)) \
    function(void, BIO_set_init, (BIO *, int)) \
    function(void, BIO_set_flags, (BIO *, int)) \
    function(void, BIO_clear_flags, (BIO *, int)) \
    function(void, ERR_clear_error, (void)) \
    function(unsigned long, ERR_peek_last_error, (void)) \
    function(const char *, ERR_reason_error_string, (unsigned long)) \
    function(const char *, OpenSSL_version, (int))

#define LIBSSL_MEMBER(result, name, arguments) result (*name) arguments;
typedef struct {
    LIBSSL_FUNCTIONS(LIBSSL_MEMBER)
} libssl_t;

/* Valid after libssl_find has succeeded. */
extern libssl_t libssl;

/* Finds the functions in the libssl that the extension in this file, Ruby's openssl.so, which is loaded already, is linked with. Returns NULL, or the
 * name of what is missing. */
const char *libssl_find(const char *extension);

#endif
