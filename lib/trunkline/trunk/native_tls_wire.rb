# frozen_string_literal: true

require_relative "../socket/tls/libssl"
require_relative "wire"

module Trunkline
  # The bytes between a codec and TLS over a socket. C reads, writes, encrypts and decrypts (TLSSession), and raises ConnectionError when TLS fails.
  class NativeTLSWire < Wire # :nodoc:
    # @return [TLSSession]
    attr_reader :tls

    # @param encrypted [OpenSSL::SSL::SSLSocket] connected and non-blocking; Socket::TLS::Libssl.obstacle is nil for it
    # @param input [Bytes]
    # @param output [Bytes]
    def initialize(encrypted, input, output)
      super(encrypted.to_io, input, output)
      @tls = TLSSession.new(encrypted)
    end

    # See Wire#receive. A server that closes without a close_notify alert counts as closed: the protocol itself shows where messages end.
    def receive = @tls.receive_into(@input, @descriptor)

    # See Wire#flush.
    def flush = flushed? || @tls.send_from(@output, @descriptor)

    # What was encrypted cannot be withdrawn, so it is not left in the output.
    def flushed? = @output.empty? && @tls.flushed?

    # See Wire#wait.
    def wait(deadline = nil)
      wait_once(flushed?, seconds_until(deadline)) unless @tls.buffered_input?
    end

    # Sends close_notify, but not from a forked child, whose parent has the session.
    def close
      @tls.send_close_notify(@descriptor) unless @io.closed? || @tls.inherited?
      super
    end

    # @return [String] the class alone: the instance variables contain data
    def inspect = "#<#{self.class}>"
  end
  private_constant :NativeTLSWire
end
