# frozen_string_literal: true

require_relative "../trunk/pool"
require_relative "connector"
require_relative "outage"

module Trunkline
  module Memcached
    # One server, and the connection that all share; opened when it is needed. A server that cannot be reached or does not answer
    # is left alone until it answers again: see {Outage}.
    class Server
      # The part of the client's timeout for which a server must be silent, or connecting take, to be left alone: callers that have
      # less time each prove it together. Without a timeout it is of one second.
      SILENCE = 0.5
      # From that version on, a miss carries its command's number, as other answers do.
      NUMBERS_MISSES = [1, 6, 18].freeze
      private_constant :SILENCE, :NUMBERS_MISSES

      # @return [String] as errors call it
      attr_reader :name

      # @return [Integer]
      attr_reader :weight

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds to connect
      # @param connections [Integer] the most to this server
      # @param longest_pause [Numeric] seconds between two connections to ask whether it answers again, at most
      # @param max_value [Integer] bytes of the longest value that is accepted
      # @param access [Connector::Access]
      def initialize(address, timeout:, connections:, longest_pause:, max_value:, access:)
        @address = address
        @name = address.name
        @weight = address.weight
        @timeout = timeout
        @longest_pause = longest_pause
        @max_value = max_value
        @access = access
        @pool = Pool.new(connections: connections, most: connections) { |pool| open(pool) }
        @outage = @silent_since = @answered = nil
      end

      # May it be asked now? False while it is left alone.
      def up? = @outage.nil? || answers_again?

      # Sends the request and waits until it has its answer, or its deadline has passed, or the connection is lost.
      #
      # @return [Boolean] whether it was answered
      # @raise [ConnectionError] there is no connection; nothing was sent
      def perform(request)
        refuse unless @outage.nil? || answers_again?
        trunk = @pool.perform(request)
        request.answered? || given_up(trunk, request)
      end

      # Sends the request.
      #
      # @return [Trunk, nil] the one that carries it; nil: its deadline has passed before one could
      # @raise [ConnectionError] there is no connection; nothing was sent
      def dispatch(request)
        refuse unless @outage.nil? || answers_again?
        @pool.dispatch(request)
      end

      # Waits for the answer to a request that was dispatched.
      #
      # @param seconds [Numeric, nil] at most, besides the request's own deadline
      # @return [Boolean] whether the request is done, or its time is over
      def await(trunk, request, seconds = nil)
        trunk&.await(request, seconds && (Waiting.now + seconds))
        request.done? || request.overdue?
      end

      # What became of a request that was awaited.
      #
      # @return [Boolean] whether it was answered
      def answered?(trunk, request) = request.answered? || given_up(trunk, request)

      # Closes the connection when no caller uses it any more; the next request opens another.
      def renew = @pool.renew

      # Closes the connection. Callers that wait for an answer are told.
      def close
        @pool.close
        @outage&.close
        @answered&.close
      end

      # @return [Hash] as Pool#stats
      def stats = @pool.stats

      # @return [Hash] as Pool#counts
      def counts = @pool.counts

      private

      # A server that has sent nothing since the request was sent is of no use on this connection any more.
      def given_up(trunk, request)
        if trunk && request.overdue? && trunk.codec.silent_since?(request)
          silent(Waiting.now - request.waited, ConnectionError.new("the server does not answer", server: @name))
          trunk.give_up("the server has not answered in time")
        end
        false
      end

      # Another thread may find it up meanwhile.
      def refuse
        failure = @outage&.failure
        raise failure.exception("#{failure.message}; not tried again for now") if failure
      end

      def answers_again?
        outage = @outage or return true
        return false unless outage.over?

        @answered = outage.take
        @outage = nil
        true
      end

      def open(pool)
        start = Waiting.now
        connector = connected_already || Connector.connect(@address, @timeout, @access)
        @silent_since = nil
        Trunk.new(connector.io, Codec.new(@max_value, (connector.version <=> NUMBERS_MISSES) >= 0), server: @name, pool: pool)
      rescue ConnectionError => error
        late? ? silent(start, error) : leave_alone(error)
        raise
      end

      # Called by the caller that found that the server answers again.
      def connected_already
        connector, @answered = @answered, nil
        connector if connector && !connector.inherited?
      end

      def late? = Deadlines.present && Waiting.now >= Deadlines.present

      # One caller with little time proves nothing alone.
      def silent(since, error)
        @silent_since ||= since
        leave_alone(error, at_once: true) if Waiting.now - @silent_since >= (@timeout || 1) * SILENCE
      end

      def leave_alone(error, at_once: false)
        @outage ||= Outage.new(error, longest_pause: @longest_pause, at_once: at_once) { Connector.new(@address, @timeout, @access) }
      end
    end
    private_constant :Server, :Codec, :Request
  end
end
