# frozen_string_literal: true

require_relative "../trunk/given_up"
require_relative "../trunk/loss"
require_relative "observed"
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
        @timeout = timeout && Float(timeout)
      end

      # Carries a request for one key.
      #
      # @param key [String] as it is sent
      # @return [Request] answered
      # @raise [Error]
      def perform(request, key)
        request.limit(@timeout) if @timeout
        server = server_for(key)
        server.perform(request) ? request : settle(request, key, server)
      rescue ConnectionError
        raise unless another_server?(key)

        request = request.again if request.done?
        retry
      end

      # Carries a request to one server.
      #
      # @return [Request] answered
      # @raise [Error]
      def ask(server, request)
        request.limit(@timeout) if @timeout
        server.perform(request) ? request : raise(error(request, server))
      end

      # Carries requests for many keys at once, one to each server.
      #
      # @param keys [Array<String>] as they are sent
      # @param companions [Array] what belongs to each of them
      # @yieldparam keys [Array<String>] those that one server has
      # @yieldparam companions [Array]
      # @yieldreturn [Request]
      # @return [Array<Request>] answered; servers that cannot be reached have none
      def perform_all(keys, companions, &request)
        on_their_way(keys, companions, &request).filter_map do |server, trunk, sent|
          server.await(trunk, sent) ? sent : settle_one_of_many(sent, server)
        end
      end

      # Has every command, and the opening of every connection, go through the middlewares.
      def observe(middlewares)
        extend(Observed)
        self.middlewares = middlewares
      end

      def close = @servers.each(&:close)

      private

      def server_for(key)
        @only || @ring.server_for(key) || raise(ConnectionError, "no server that might have the key can be reached")
      end

      # One that could not be reached is down now.
      def another_server?(key) = @only.nil? && !@ring.server_for(key).nil?

      # @return [Request] answered
      # @raise [Error]
      def settle(request, key, server)
        (MOST_TRIES - 1).times do
          break unless another_try?(request)

          request = request.again
          server = server_for(key)
          return request if server.perform(request)
        end
        raise error(request, server)
      end

      # What was not sent may be sent again, and so may a question.
      def another_try?(request)
        loss = request.failure
        loss.is_a?(Loss) && !loss.closed && (!loss.sent || request.reads?)
      end

      def error(request, server)
        return Refusal.error(request.error, server.name) if request.error

        failure = request.failure
        return late(failure, server) if failure.is_a?(GivenUp)

        kind = failure.closed ? Closed : (failure.sent ? Indeterminate : NotSent)
        kind.new(failure.reason, server: server.name, sent: failure.sent)
      end

      def late(given_up, server)
        consequence = given_up.sent ? "answer came: whether it had an effect is not known" : "question was sent: nothing has happened"
        Deadline.new("the time was over before the #{consequence}", server: server.name, sent: given_up.sent)
      end

      def on_their_way(keys, companions)
        by_server(keys, companions).filter_map do |server, theirs|
          request = yield(*theirs)
          request.limit(@timeout) if @timeout
          [server, server.dispatch(request), request]
        rescue ConnectionError
          nil
        end
      end

      def by_server(keys, companions)
        return { @only => [keys, companions] } if @only

        groups = keys.each_index.group_by { |place| @ring.server_for(keys[place]) }
        groups.delete(nil)
        groups.transform_values { |places| [keys.values_at(*places), companions.values_at(*places)] }
      end

      # A server that goes away while it is asked is one that cannot be reached.
      def settle_one_of_many(request, server)
        return (again = request.again) && server.perform(again) ? again : nil if another_try?(request)

        error = error(request, server)
        raise error unless error.is_a?(Indeterminate)
      rescue ConnectionError
        nil
      end
    end
    private_constant :Cluster
  end
end
