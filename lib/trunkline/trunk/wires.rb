# frozen_string_literal: true

require_relative "native_tls_wire"
require_relative "ruby_tls_wire"
require_relative "wire"

module Trunkline
  # Chooses the wire of a connection.
  module Wires # :nodoc:
    # @param io [Socket, OpenSSL::SSL::SSLSocket] connected and non-blocking
    # @param input [Bytes]
    # @param output [Bytes]
    # @return [Wire]
    def self.over(io, input, output) = of(io).new(io, input, output)

    def self.of(io)
      return Wire unless io.is_a?(OpenSSL::SSL::SSLSocket)

      Socket::TLS::Libssl.obstacle(io) ? RubyTLSWire : NativeTLSWire
    end

    private_class_method :of
  end
  private_constant :Wires
end
