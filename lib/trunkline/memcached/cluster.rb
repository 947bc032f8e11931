# frozen_string_literal: true

require_relative "ring"
require_relative "server"

module Trunkline
  module Memcached
    # The servers together: carries each request to the one that has its key, as often as it takes within its time.
    class Cluster
      # Times that a request is sent elsewhere when the connection it was to take turns out to be lost.
      MOST_TRIES = 5
      private_constant :MOST_TRIES

      # @return [Array<Server>]
      attr_reader :servers

      # @param addresses [Array<Address>]
      # @param timeout [Numeric, nil] seconds from call to answer
      # @param failover [Boolean]
      # @param options [Hash] of Server.new
      def initialize(addresses, timeout:, failover:, **options)
        @servers = addresses.map { |address| Server.new(address, timeout: timeout, **options) }
        @ring = Ring.new(@servers, failover: failover)
        @only = @ring.only
        @timeout = timeout
      end

      # @return [Float, nil] when a call that begins now is over
      def deadline = @timeout && (Waiting.now + @timeout)

      # Carries a request for one key.
      #
      # @param key [String] as it is sent
      # @return [Request] answered
      # @raise [Error]
      def perform(request, key, deadline = self.deadline)
        server = carry(request, key, deadline)
        request.answered? ? request : settle(request, key, server, deadline)
      end

      # Carries a request to one server, or to another when that has failed before it was sent.
      #
      # @raise [Error]
      def ask(server, request)
        server.perform(request, deadline)
        request.answered? ? request : raise(error(request, server))
      end

      # Carries requests for many keys at once, one to each server.
      #
      # @param keys [Array<String>] as they are sent
      # @yieldparam places [Array<Integer>] of those keys that one server has
      # @yieldreturn [Request]
      # @return [Array<Request>] answered; servers that cannot be reached have none
      def perform_all(keys, &request)
        deadline = self.deadline
        on_their_way(keys, &request).filter_map do |server, trunk, sent|
          server.await(trunk, sent, deadline)
          sent.answered? ? sent : settled(sent, server, deadline)
        end
      end

      def close = @servers.each(&:close)

      private

      def carry(request, key, deadline)
        server = @only || @ring.server_for(key) or raise ConnectionError, "no server that might have the key can be reached"
        server.perform(request, deadline)
        server
      rescue ConnectionError
        @only || server.nil? ? raise : retry
      end

      # @return [Request] answered
      # @raise [Error]
      def settle(request, key, server, deadline)
        tries = 1
        until request.answered?
          error = error(request, server)
          raise error unless tries < MOST_TRIES && another_try?(request, error, deadline)

          tries += 1
          server = carry(request = request.again, key, deadline)
        end
        request
      end

      # What was not sent may be sent again, and so may a question.
      def another_try?(request, error, deadline)
        return false unless error.is_a?(NotSent) || (error.is_a?(Indeterminate) && request.reads?)

        deadline.nil? || Waiting.now < deadline
      end

      def error(request, server)
        return Refusal.error(request.error, server.name) if request.error
        return timed_out(server) unless (loss = request.failure)
        return Closed.new(loss.reason, server: server.name, sent: loss.sent) if loss.closed

        kind = loss.sent ? Indeterminate : NotSent
        kind.new("the connection was lost: #{loss.reason}", server: server.name, sent: loss.sent)
      end

      def timed_out(server)
        Deadline.new("no answer within #{format("%g", @timeout)} s (timeout)", server: server.name, sent: true)
      end

      def on_their_way(keys)
        by_server(keys).filter_map do |server, places|
          request = yield places
          [server, server.dispatch(request), request]
        rescue ConnectionError
          nil
        end
      end

      def by_server(keys)
        return { @only => keys.each_index.to_a } if @only

        groups = keys.each_index.group_by { |place| @ring.server_for(keys[place]) }
        groups.delete(nil)
        groups
      end

      # A server that goes away while it is asked for many is one that cannot be reached.
      def settled(request, server, deadline)
        error = error(request, server)
        raise error unless error.is_a?(NotSent) || error.is_a?(Indeterminate)
        return unless another_try?(request, error, deadline)

        server.perform(again = request.again, deadline)
        again.answered? ? again : nil
      rescue ConnectionError
        nil
      end
    end
    private_constant :Cluster
  end
end
