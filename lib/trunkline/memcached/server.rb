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
      # Bytes of the longest value that a server can be told to keep.
      LONGEST_VALUE = 1 << 30
      private_constant :FIRST_PAUSE, :LONGEST_VALUE

      # @return [String] as errors call it
      attr_reader :name

      # @return [Integer]
      attr_reader :weight

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds to connect
      # @param connections [Integer] the most to this server
      # @param longest_pause [Numeric] seconds that it is left alone at most
      def initialize(address, timeout:, connections:, longest_pause:)
        @address = address
        @name = address.name
        @weight = address.weight
        @timeout = timeout
        @longest_pause = longest_pause
        @pool = Pool.new(connections: connections, most: connections) { |pool| open(pool) }
        recovered
      end

      # May it be asked now? False while it is left alone.
      def up? = @resume_at.nil? || Waiting.now >= @resume_at

      # Sends the request and waits until it has its answer, or the deadline has passed, or the connection is lost.
      #
      # @param deadline [Float, nil] on the clock of Waiting.now
      # @raise [ConnectionError] there is no connection; nothing was sent
      def perform(request, deadline)
        await(dispatch(request), request, deadline)
      end

      # Sends the request.
      #
      # @return [Trunk] the one that carries it
      # @raise [ConnectionError] there is no connection; nothing was sent
      def dispatch(request) = @pool.dispatch(request)

      # Waits for the answer to a request that was dispatched.
      def await(trunk, request, deadline)
        trunk.await(request, deadline)
        return if request.done? || !trunk.codec.silent_since?(request)

        trunk.give_up("the server has not answered in time")
      end

      # Closes the connection. Who waits for an answer is told.
      def close = @pool.close

      # @return [Hash] as Pool#counts
      def counts = @pool.counts

      private

      def open(pool)
        raise @failure.exception("#{@failure.message}; not tried again for now") unless up?

        trunk = Trunk.new(Connector.connect(@address, @timeout), Codec.new(LONGEST_VALUE), server: @name, pool: pool)
        recovered
        trunk
      rescue ConnectionError => error
        failed(error) if up?
        raise
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
