# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

module Trunkline
  # Whether C can take over what Ruby's openssl has set up.
  class LibsslTest < TestCase
    ROOT = File.expand_path("../../../..", __dir__)
    # The declarations of the extension beside those of OpenSSL: a compiler refuses what differs.
    BESIDE = <<~C
      #include <openssl/ssl.h>
      #include <openssl/bio.h>
      #include <openssl/err.h>
      #include "socket/libssl.h"
      #define SAME(result, name, arguments) _Static_assert(__builtin_types_compatible_p(__typeof__(((libssl_t *)0)->name), __typeof__(&name)), #name);
      LIBSSL_FUNCTIONS(SAME)
      #define EQUAL(ours, theirs) _Static_assert((int)ours == (int)(theirs), #theirs);
      EQUAL(LIBSSL_ERROR_SYSCALL, SSL_ERROR_SYSCALL)
      EQUAL(LIBSSL_ERROR_ZERO_RETURN, SSL_ERROR_ZERO_RETURN)
      EQUAL(LIBSSL_ERROR_WANT_READ, SSL_ERROR_WANT_READ)
      EQUAL(LIBSSL_BIO_FLAGS_READ, BIO_FLAGS_READ)
      EQUAL(LIBSSL_BIO_FLAGS_RETRY, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY)
      EQUAL(LIBSSL_BIO_FLAGS_SHOULD_RETRY, BIO_FLAGS_SHOULD_RETRY)
      EQUAL(LIBSSL_BIO_CTRL_FLUSH, BIO_CTRL_FLUSH)
      EQUAL(LIBSSL_BIO_TYPE_SOURCE_SINK, BIO_TYPE_SOURCE_SINK)
      EQUAL(LIBSSL_VERSION_TEXT, OPENSSL_VERSION)
    C
    private_constant :ROOT, :BESIDE

    def test_the_declarations_are_those_of_openssl
      command = [*RbConfig::CONFIG["CC"].split, "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", "-Iext/trunkline", "-xc", "-"]
      said, status = Open3.capture2e(*command, stdin_data: BESIDE, chdir: ROOT)
      assert_predicate status, :success?, said
    end

    def test_here_it_can = assert_nil(Socket::TLS::Libssl.obstacle)

    def test_another_library_than_rubys
      file = $LOADED_FEATURES.find { |feature| feature.end_with?("/openssl.so", "/openssl.bundle") }
      other = $LOADED_FEATURES.find { |feature| feature.end_with?("/trunkline.so", "/trunkline.bundle") }
      context = OpenSSL::SSL::SSLContext.new
      socket = OpenSSL::SSL::SSLSocket.allocate
      version = OpenSSL::OPENSSL_LIBRARY_VERSION
      assert_match(/its libssl does not offer the library itself/, TLSSession.use("/nowhere/openssl.so", version, context, socket))
      assert_match(/its libssl does not offer SSL_read/, TLSSession.use(other, version, context, socket))
      assert_match(/two versions of libssl/, TLSSession.use(file, "OpenSSL 0.9.8", context, socket))
      assert_match(/unknown types/, TLSSession.use(file, version, Object.new, socket))
      assert_match(/unknown types/, TLSSession.use(file, version, context, "socket"))
      assert_nil TLSSession.use(file, version, context, socket)
    end

    def test_ruby_code_that_libssl_would_call
      session = Struct.new(:context, :ssl_version)
      refused = { "session_new_cb" => ->(*) {}, "renegotiation_cb" => ->(*) {} }
      refused.each do |name, callback|
        context = OpenSSL::SSL::SSLContext.new.tap { |one| one.public_send(:"#{name}=", callback) }
        assert_equal "the context has a #{name}", Socket::TLS::Libssl.obstacle(session.new(context, "TLSv1.3"))
      end
      plain = OpenSSL::SSL::SSLContext.new
      assert_match(/second handshake/, Socket::TLS::Libssl.obstacle(session.new(plain, "TLSv1.2")))
      assert_nil Socket::TLS::Libssl.obstacle(session.new(plain, "TLSv1.3"))
      plain.options |= OpenSSL::SSL::OP_NO_RENEGOTIATION
      assert_nil Socket::TLS::Libssl.obstacle(session.new(plain, "TLSv1.2"))
    end
  end
end
