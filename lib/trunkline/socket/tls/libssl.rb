# frozen_string_literal: true

require "openssl"

module Trunkline
  module Socket
    module TLS
      # Whether C can take over sessions that Ruby's openssl has set up (TLSSession): it calls the functions of the libssl with which that extension
      # was linked, by the addresses that the loader has found.
      module Libssl
        # Ruby callbacks that libssl would call while C runs. Another thread could run then, and use the same session.
        CALLBACKS = %i[session_new_cb keylog_cb renegotiation_cb].freeze
        private_constant :CALLBACKS

        @checked = false

        module_function

        # @param encrypted [OpenSSL::SSL::SSLSocket, nil] connected; nil: any
        # @return [String, nil] why Ruby has to read and write, in a few words; nil: C can
        def obstacle(encrypted = nil) = obstacle_of_library || (encrypted && obstacle_of_session(encrypted))

        # Two threads may both check, with the same result.
        def obstacle_of_library
          return @obstacle if @checked

          @obstacle = check_library
          @checked = true
          @obstacle
        end

        def check_library
          file = $LOADED_FEATURES.find { |feature| feature.match?(%r{\A/.*/openssl\.(so|bundle)\z}) }
          return "Ruby's openssl is no library of its own" unless file

          context = OpenSSL::SSL::SSLContext.new
          TLSSession.use(file, OpenSSL::OPENSSL_LIBRARY_VERSION, context, OpenSSL::SSL::SSLSocket.allocate)
        end

        # TLS 1.3 has no second handshake.
        def obstacle_of_session(encrypted)
          context = encrypted.context
          called = CALLBACKS.find { |callback| context.respond_to?(callback) && context.public_send(callback) }
          return "the context has a #{called}" if called
          return if encrypted.ssl_version == "TLSv1.3" || context.options.anybits?(OpenSSL::SSL::OP_NO_RENEGOTIATION)

          "the context allows a second handshake (OP_NO_RENEGOTIATION)"
        end

        private_class_method :obstacle_of_library, :check_library, :obstacle_of_session
      end
    end
  end
end
