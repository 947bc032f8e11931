# frozen_string_literal: true

require_relative "../trunk/pool"
require_relative "connector"

module Trunkline
  module Memcached
    # One server, and the connection that all share; opened when it is needed. A server that cannot be reached is left alone
    # for a while, and longer each time.
    class Server
      # Seconds after the first failure.
      FIRST_PAUSE = 1.0
      # From that version on, a miss carries its command's number, as other answers do.
      NUMBERS_MISSES = [1, 6, 18].freeze
      private_constant :FIRST_PAUSE, :NUMBERS_MISSES

      # @return [String] as errors call it
      attr_reader :name

      # @return [Integer]
      attr_reader :weight

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds to connect
      # @param connections [Integer] the most to this server
      # @param longest_pause [Numeric] seconds that it is left alone at most
      # @param max_value [Integer] bytes of the longest value that is accepted
      # @param tls [OpenSSL::SSL::SSLContext, nil]
      def initialize(address, timeout:, connections:, longest_pause:, max_value:, tls: nil)
        @address = address
        @name = address.name
        @weight = address.weight
        @timeout = timeout
        @longest_pause = longest_pause
        @max_value = max_value
        @tls = tls
        @pool = Pool.new(connections: connections, most: connections) { |pool| open(pool) }
        recovered
      end

      # May it be asked now? False while it is left alone.
      def up? = @resume_at.nil? || Waiting.now >= @resume_at

      # Sends the request and waits until it has its answer, or its deadline has passed, or the connection is lost.
      #
      # @return [Boolean] whether it was answered
      # @raise [ConnectionError] there is no connection; nothing was sent
      def perform(request)
        refuse unless @resume_at.nil? || up?
        trunk = @pool.perform(request)
        request.answered? || given_up(trunk, request)
      end

      # Sends the request.
      #
      # @return [Trunk, nil] the one that carries it; nil: its deadline has passed before one could
      # @raise [ConnectionError] there is no connection; nothing was sent
      def dispatch(request)
        refuse unless @resume_at.nil? || up?
        @pool.dispatch(request)
      end

      # Waits for the answer to a request that was dispatched.
      #
      # @return [Boolean] whether it was answered
      def await(trunk, request)
        trunk&.await(request)
        request.answered? || given_up(trunk, request)
      end

      # Closes the connection. Who waits for an answer is told.
      def close = @pool.close

      # @return [Hash] as Pool#stats
      def stats = @pool.stats

      # @return [Hash] as Pool#counts
      def counts = @pool.counts

      private

      # A server that has said nothing to anybody since the request was sent is of no use on this connection any more.
      def given_up(trunk, request)
        trunk.give_up("the server has not answered in time") if trunk && request.overdue? && trunk.codec.silent_since?(request)
        false
      end

      # Another thread may find it up meanwhile.
      def refuse
        failure = @failure
        raise failure.exception("#{failure.message}; not tried again for now") if failure
      end

      def open(pool)
        patient = patient?
        io, version = Connector.connect(@address, @timeout, @tls)
        recovered
        Trunk.new(io, Codec.new(@max_value, (version <=> NUMBERS_MISSES) >= 0), server: @name, pool: pool)
      rescue ConnectionError => error
        failed(error) if patient || !late?
        raise
      end

      def late? = Deadlines.present && Waiting.now >= Deadlines.present

      # Is there about as much time as connecting may take? Who runs out of time earlier proves nothing.
      def patient?
        present = Deadlines.present
        present.nil? || (!@timeout.nil? && present - Waiting.now > @timeout / 2.0)
      end

      def recovered
        @failure = @resume_at = nil
        @pause = FIRST_PAUSE
      end

      def failed(error)
        @failure = error
        @resume_at = Waiting.now + [@pause, @longest_pause].min
        @pause *= 2
      end
    end
    private_constant :Server, :Codec, :Request
  end
end
