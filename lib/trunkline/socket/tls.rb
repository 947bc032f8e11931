# frozen_string_literal: true

require "openssl"
require_relative "deadline_io"

module Trunkline
  module Socket
    # TLS over a connected socket.
    module TLS
      # Performs the handshake.
      #
      # @param socket [::Socket] connected, non-blocking; the caller closes it if this fails
      # @param context [OpenSSL::SSL::SSLContext]
      # @param deadline [Float, nil] on the clock of {Readiness.now}
      # @param server_name [String, nil] for SNI
      # @param session [OpenSSL::SSL::Session, nil] to resume, if the server does
      # @return [OpenSSL::SSL::SSLSocket, nil] non-blocking; closing it closes the socket; nil: the deadline has passed
      # @raise [OpenSSL::SSL::SSLError, SystemCallError]
      def self.connect(socket, context, deadline, server_name: nil, session: nil)
        encrypted = OpenSSL::SSL::SSLSocket.new(socket, context)
        encrypted.sync_close = true
        encrypted.hostname = server_name if server_name
        encrypted.session = session if session
        while (what = encrypted.connect_nonblock(exception: false)).is_a?(Symbol)
          return unless DeadlineIO.wait(socket, what, deadline)
        end
        encrypted
      end
    end
  end
end
