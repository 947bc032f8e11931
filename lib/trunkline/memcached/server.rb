# frozen_string_literal: true

require_relative "../trunk/pool/pool"
require_relative "connector"
require_relative "failback"
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
      # @param failback [Symbol] a policy of {Failback}
      # @param report [#call] gets the error that tells that the server answers, and is not used
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

      # Has the opening of every connection go through the middlewares.
      #
      # @param middlewares [Middlewares]
      def observe(middlewares)
        @middlewares = middlewares
        extend(Instrumented::Server)
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
        request.answered? || lose_if_silent(trunk, request)
      end

      # Sends the request.
      #
      # @return [Trunk, nil] the one that it goes over; nil: its deadline has passed before one could
      # @raise [ConnectionError] there is no connection; nothing was sent
      def dispatch(request)
        refuse unless @outage.nil? || answers_again?
        @pool.dispatch(request)
      end

      # Sends a request that empties the server, also where it is out because of what it has. A server that cannot be reached is emptied when
      # it answers again.
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

      # Takes note that a key of this server is changed on another one, as this one is out.
      #
      # @return [Boolean] false: it is not out any more
      def missed?(key, stand_in)
        outage = @outage
        outage ? outage.failback.missed.add(key, stand_in) : false
      end

      # Deletes keys that the server had for one that was out; as soon as it answers again, where it is out itself.
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
      # @param seconds [Numeric, nil] at most, besides the request's own deadline
      # @return [Boolean] whether the request is done, or its time is over
      def await(trunk, request, seconds = nil)
        trunk&.await(request, seconds && (Waiting.now + seconds))
        request.done? || request.deadline_passed?
      end

      # What became of a request that was awaited.
      #
      # @return [Boolean] whether it was answered
      def answered?(trunk, request) = request.answered? || lose_if_silent(trunk, request)

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

      # The request has no answer in time. A connection on which the server has sent nothing since the request was sent is lost.
      #
      # @return [false]
      def lose_if_silent(trunk, request)
        if trunk && request.deadline_passed? && trunk.codec.silent_since?(request)
          silent(Waiting.now - request.waited, ConnectionError.new("the server does not answer", server: @name))
          trunk.lose("the server has not answered in time")
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
        outage.over? { used_again?(outage) }
      end

      # The server has answered: what it has missed is deleted first. Keys that are changed on other servers during that are deleted by a
      # request that is sent before any other can be; its answer is waited for by this caller alone.
      def used_again?(outage)
        @answered&.close
        @answered = outage.take
        return outage.goes_on(outage.failback.held) unless outage.failback.prepared?

        left = trunk = request = nil
        outage.failback.missed.close do |entries|
          trunk = @pool.dispatch(request = limited(Request.delete_many(entries.map(&:first), ""))) unless (left = entries).empty?
          @outage = nil
        end
        left.empty? || last_deleted?(outage, left, trunk, request)
      rescue ConnectionError, Overloaded => error
        outage.goes_on(error)
      end

      def last_deleted?(outage, entries, trunk, request)
        outage.failback.clear_stand_ins(entries)
        await(trunk, request)
        return true if answered?(trunk, request)

        leave_alone(ConnectionError.new("the server was lost before it had deleted what was changed meanwhile", server: @name))
        entries.each { |key, stand_ins| stand_ins.each { |server| missed?(key, server) } }
        false
      end

      # Sends a request to the server, whether it is out or not.
      def send_request(request)
        trunk = @pool.perform(limited(request))
        request.answered? || lose_if_silent(trunk, request)
      end

      def limited(request) = @timeout ? request.limit(@timeout) : request

      # A caller that waited for room when the server was found to be out is refused: only the outage's own connection asks whether it answers.
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
        deadline_passed? ? silent(start, error) : leave_alone(error)
        raise
      end

      # Called by the caller that found that the server answers again.
      def connected_already
        connector, @answered = @answered, nil
        connector if connector && !connector.inherited?
      end

      def deadline_passed? = Deadlines.present && Waiting.now >= Deadlines.present

      # One caller with little time proves nothing alone.
      def silent(since, error)
        @silent_since ||= since
        leave_alone(error, at_once: true) if Waiting.now - @silent_since >= (@timeout || 1) * SILENCE
      end

      def leave_alone(error, at_once: false)
        @outage ||= begin
          failback = Failback.new(@failback_policy, @name, @report) { |request| send_request(request) }
          Outage.new(error, failback, longest_pause: @longest_pause, at_once: at_once) { Connector.new(@address, @timeout, @access) }
        end
      end
    end
    private_constant :Server, :Codec, :Request
  end
end
