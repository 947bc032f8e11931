# frozen_string_literal: true

require_relative "../../../socket/resumable"
require_relative "../../../socket/tcp"

module Trunkline
  module Postgres
    # One look-up of a host's name, beside other waits of its thread.
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

      # @return [Socket::Resumable::Wait] for the moment at which it begins, or for the answer
      def wait = @resumable ? @resumable.wait : @pause

      # @return [Boolean] whether it is under way
      def begun? = !@resumable.nil? && !@resumable.over?

      # Begins, or goes on as the wait is over.
      #
      # @return [Array<Array(String, Integer)>, nil] addresses and ports, sorted; none where the name could not be looked up; nil: not yet
      def resume
        @resumable ||= Socket::Resumable.new { Socket::TCP.addresses(@host.host, @host.port) }
        @resumable.resume
        @resumable.value.to_a.map { |address| NameLookup.address_and_port(address) }.sort if @resumable.over?
      end

      # Ends it: the resolver's answer is of no use any more.
      #
      # @return [void]
      def abandon = @resumable&.abandon
    end
    private_constant :NameLookup
  end
end
