# frozen_string_literal: true

require "openssl"
require_relative "../errors"
require_relative "readiness"
require_relative "tls_reason"

module Trunkline
  module Socket
    # Reads from and writes to a connected, non-blocking socket, or TLS over one, until a deadline. TLS may have to write before it can read, and vice
    # versa.
    module DeadlineIO
      module_function

      # @param io [::Socket, OpenSSL::SSL::SSLSocket]
      # @param most [Integer] bytes
      # @param deadline [Float, nil] on the clock of {Readiness.now}
      # @return [String, nil, false] what has arrived; nil: the end of the stream; false: the deadline has passed
      # @raise [SystemCallError, ConnectionError]
      def read(io, most, deadline)
        loop do
          bytes = io.read_nonblock(most, exception: false)
          return bytes unless bytes.is_a?(Symbol)
          return false unless wait(io, bytes, deadline)
        end
      rescue OpenSSL::SSL::SSLError => error
        raise broken(error)
      end

      # @param bytes [String]
      # @return [Boolean] false: the deadline has passed, and not all is written
      # @raise [SystemCallError, ConnectionError]
      def write(io, bytes, deadline)
        until bytes.empty?
          written = io.write_nonblock(bytes, exception: false)
          if written.is_a?(Integer)
            bytes = bytes.byteslice(written..)
          else
            return false unless wait(io, written, deadline)
          end
        end
        true
      rescue OpenSSL::SSL::SSLError => error
        raise broken(error)
      end

      # @param what [:wait_readable, :wait_writable]
      # @return [Boolean] false: the deadline has passed
      def wait(io, what, deadline)
        return Readiness.wait_writable(io.to_io, deadline) if what == :wait_writable

        Readiness.wait_readable(io.to_io, deadline)
      end

      def broken(error) = ConnectionError.new("the encrypted connection broke: #{TLSReason.of(error)}")

      private_class_method :broken
    end
  end
end
