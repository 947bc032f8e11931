# frozen_string_literal: true

require_relative "../../../socket/resumable"
require_relative "../../../socket/tcp"

module Trunkline
  module Postgres
    # One lookup of a host's name, beside other waits of its thread.
    class NameLookup # :nodoc:
      # @param address [Addrinfo]
      # @return [Array(String, Integer)] address and port
      def self.address_and_port(address) = [address.ip_address, address.ip_port]

      # @param host [Config::Host]
      # @param begin_at [Float] on the clock of {Socket::Readiness.now}
      def initialize(host, begin_at)
        @host = host
        @pause = Socket::Resumable::Wait.new(nil, nil, begin_at)
      end

      # @return [Socket::Resumable::Wait] for its start, or for the answer
      def wait = @resumable ? @resumable.wait : @pause

      # @return [Boolean] whether it is running
      def begun? = !@resumable.nil? && !@resumable.over?

      # Begins or resumes it, when the wait is over.
      #
      # @return [Array<Array(String, Integer)>, nil] addresses and ports, sorted; empty: the lookup failed; nil: not finished
      def resume
        @resumable ||= Socket::Resumable.new { Socket::TCP.addresses(@host.host, @host.port) }
        @resumable.resume
        @resumable.value.to_a.map { |address| NameLookup.address_and_port(address) }.sort if @resumable.over?
      end

      # Ends it: the resolver's answer is ignored.
      #
      # @return [void]
      def abandon = @resumable&.abandon
    end
    private_constant :NameLookup
  end
end
