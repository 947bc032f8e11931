# frozen_string_literal: true

require_relative "../trunk/pool/pool"
require_relative "connector"
require_relative "failback"
require_relative "outage"

module Trunkline
  module Memcached
    # One server, and the connection that all callers share; opened when it is needed. A server that cannot be reached or does not answer is not used
    # until it answers again: see {Outage}.
    class Server
      # The part of the client's timeout after which a silent server, or one that is slow to connect, counts as down: callers with less time establish
      # that together. Without a timeout, the part is of one second. It is a bound, not tuned: with less, a slow server counts as down; with more, callers
      # with less time wait for it more often.
      SILENCE = 0.5
      # Since that version, a miss contains its command's opaque number, as other answers do.
      NUMBERS_MISSES = [1, 6, 18].freeze
      private_constant :SILENCE, :NUMBERS_MISSES

      # @return [String] its name in errors
      attr_reader :name

      # @return [Integer]
      attr_reader :weight

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds to connect
      # @param connections [Integer] to this server, at most
      # @param longest_pause [Numeric] seconds between two probes while it is down, at most
      # @param max_value [Integer] bytes of the longest accepted value
      # @param access [Connector::Access]
      # @param failback [Symbol] a policy of {Failback}
      # @param report [#call] takes an error if the server answers but is not used
      def initialize(address, timeout:, connections:, longest_pause:, max_value:, access:, failback:, report:)
        @address = address
        @name = address.name
        @weight = address.weight
        @timeout = timeout
        @longest_pause = longest_pause
        @max_value = max_value
        @access = access
        @failback_policy = failback
        @report = report
        @pool = Pool.new(connections: connections, most: connections) { |pool| open(pool) }
        @outage = @silent_since = @answered = nil
      end

      # Makes the opening of every connection use the middlewares.
      #
      # @param middlewares [Middlewares]
      def observe(middlewares)
        @middlewares = middlewares
        extend(Instrumented::Server)
      end

      # Whether requests may be sent to it now; false while it is down.
      def up? = @outage.nil? || answers_again?

      # Sends the request and waits until it is answered, its deadline has passed, or the connection is lost.
      #
      # @return [Boolean] whether it was answered
      # @raise [ConnectionError] there is no connection; nothing was sent
      def perform(request)
        refuse unless @outage.nil? || answers_again?
        trunk = @pool.perform(request)
        request.answered? || lose_if_silent(trunk, request)
      end

      # Sends the request.
      #
      # @return [Trunk, nil] over which it was sent; nil: its deadline has passed first
      # @raise [ConnectionError] there is no connection; nothing was sent
      def dispatch(request)
        refuse unless @outage.nil? || answers_again?
        @pool.dispatch(request)
      end

      # Sends a request that empties the server, even if it is not used because of its old values. A server that cannot be reached is emptied when it
      # answers again.
      #
      # @return [Boolean] whether it was answered
      # @raise [ConnectionError] there is no connection; nothing was sent
      def flush(request)
        outage = @outage
        return perform(request) unless outage&.failback&.held?

        flushed = send_request(request)
        return false unless flushed

        outage.failback.flushed
        outage.probe_soon
        true
      ensure
        @outage&.failback&.missed&.add_all unless flushed || request.answered?
      end

      # Records that a key of this server is changed on another one, as this one is down.
      #
      # @return [Boolean] false: it is not down any more
      def missed?(key, stand_in)
        outage = @outage
        outage ? outage.failback.missed.add(key, stand_in) : false
      end

      # Deletes keys that the server has stored for one that was down; if it is down itself, as soon as it answers again.
      #
      # @param keys [Array<String>]
      def forget(keys)
        return if @outage.nil? && send_request(Request.delete_many(keys, ""))

        keys.each { |key| missed?(key, self) }
      rescue ConnectionError, Overloaded
        keys.each { |key| missed?(key, self) }
      end

      # Waits for the answer to a request that was dispatched.
      #
      # @param seconds [Numeric, nil] at most, in addition to the request's own deadline
      # @return [Boolean] whether the request is done, or its deadline has passed
      def await(trunk, request, seconds = nil)
        trunk&.await(request, seconds && (Waiting.now + seconds))
        request.done? || request.deadline_passed?
      end

      # The outcome of a request that was awaited.
      #
      # @return [Boolean] whether it was answered
      def answered?(trunk, request) = request.answered? || lose_if_silent(trunk, request)

      # Closes the connection when no caller uses it any more; the next request opens another.
      def renew = @pool.renew

      # Closes the connection. Callers that wait for an answer get an error.
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

      # The request was not answered in time. A connection on which the server has sent nothing since the request was sent is closed.
      #
      # @return [false]
      def lose_if_silent(trunk, request)
        if trunk && request.deadline_passed? && trunk.codec.silent_since?(request)
          silent(Waiting.now - request.waited, ConnectionError.new("the server does not answer", server: @name))
          trunk.lose("the server has not answered in time")
        end
        false
      end

      # Another thread may find the server up meanwhile.
      def refuse
        failure = @outage&.failure
        raise failure.exception("#{failure.message}; not tried again for now") if failure
      end

      def answers_again?
        outage = @outage or return true
        outage.over? { used_again?(outage) }
      end

      # The server has answered: keys that it has missed are deleted first. Keys that are changed on other servers meanwhile are deleted by a request
      # that precedes any other; only this caller waits for its answer.
      def used_again?(outage)
        @answered&.close
        @answered = outage.take
        return outage.stay_out(outage.failback.held) unless outage.failback.prepared?

        left = trunk = request = nil
        outage.failback.missed.close do |entries|
          trunk = @pool.dispatch(request = limited(Request.delete_many(entries.map(&:first), ""))) unless (left = entries).empty?
          @outage = nil
        end
        left.empty? || last_deleted?(outage, left, trunk, request)
      rescue ConnectionError, Overloaded => error
        outage.stay_out(error)
      end

      def last_deleted?(outage, entries, trunk, request)
        outage.failback.clear_stand_ins(entries)
        await(trunk, request)
        return true if answered?(trunk, request)

        begin_outage(ConnectionError.new("the connection was lost before the server had deleted the keys that were changed while it was down", server: @name))
        entries.each { |key, stand_ins| stand_ins.each { |server| missed?(key, server) } }
        false
      end

      # Sends a request to the server, whether it is down or not.
      def send_request(request)
        trunk = @pool.perform(limited(request))
        request.answered? || lose_if_silent(trunk, request)
      end

      def limited(request) = @timeout ? request.limit(@timeout) : request

      # A caller that waited for room when the server was found to be down is refused: only the outage's own connection probes it.
      def open(pool)
        connector = connected_already
        refuse unless connector
        connect(pool, connector)
      end

      def connect(pool, connector)
        start = Waiting.now
        connector ||= Connector.connect(@address, @timeout, @access)
        @silent_since = nil
        Trunk.new(connector.io, Codec.new(@max_value, (connector.version <=> NUMBERS_MISSES) >= 0), server: @name, pool: pool)
      rescue ConnectionError => error
        deadline_passed? ? silent(start, error) : begin_outage(error)
        raise
      end

      # Called by the caller that has found that the server answers again.
      def connected_already
        connector, @answered = @answered, nil
        connector if connector && !connector.inherited?
      end

      def deadline_passed? = Deadlines.present && Waiting.now >= Deadlines.present

      # One caller with little time does not establish an outage alone.
      def silent(since, error)
        @silent_since ||= since
        begin_outage(error, at_once: true) if Waiting.now - @silent_since >= (@timeout || 1) * SILENCE
      end

      def begin_outage(error, at_once: false)
        @outage ||= begin
          failback = Failback.new(@failback_policy, @name, @report) { |request| send_request(request) }
          Outage.new(error, failback, longest_pause: @longest_pause, at_once: at_once) { Connector.new(@address, @timeout, @access) }
        end
      end
    end
    private_constant :Server, :Codec, :Request
  end
end
