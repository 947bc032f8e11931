# frozen_string_literal: true

require_relative "../trunk/abandonment"
require_relative "../trunk/loss"
require_relative "instrumented"
require_relative "ring"
require_relative "server"
require_relative "unawaited"

module Trunkline
  module Memcached
    # All servers of a client: sends each request to the one that has its key, and repeats it as necessary within its time.
    class Cluster
      # How often a request is sent again when its connection is found to be lost: a bound, as in
      # {Postgres::Retries}, though a server has one shared connection.
      MOST_TRIES = 5
      # Seconds that a call of many keys waits for one server before it reads the answers of the others; the time doubles with each round. A server
      # that answers takes less: of 100 keys each, 99 of 100 calls of 100 fibers take 1.9 ms with three servers (bench/results/memcached.md).
      FIRST_SLICE = 0.005
      # Errors of a server that cannot be reached, or does not answer in time.
      FAILURES = [ConnectionError, NotSent, Indeterminate, Deadline, Overloaded].freeze
      # One server's part of a call of many keys, and the connection over which it was sent.
      Part = Struct.new(:server, :trunk, :request)
      private_constant :MOST_TRIES, :FIRST_SLICE, :Part

      # @return [Array<Server>]
      attr_reader :servers

      # @param addresses [Array<Address>]
      # @param timeout [Numeric, nil] seconds from call to answer
      # @param failover [Boolean]
      # @param on_error [#call, nil] takes the error of each server that a call skips
      # @param raise_errors [Boolean] whether such a call raises instead
      # @param options [Hash] of Server.new
      def initialize(addresses, timeout:, failover:, on_error: nil, raise_errors: false, **options)
        report = ->(error) { on_error&.call(error) }
        @servers = addresses.map { |address| Server.new(address, timeout: timeout, report: report, **options) }
        @ring = Ring.new(@servers, failover: failover)
        @only = @ring.only
        @timeout = timeout && Float(timeout)
        @on_error = on_error
        @raise_errors = raise_errors
        @unawaited = nil
      end

      # Sends a request for one key, and waits.
      #
      # @param key [String] as it is sent
      # @return [Request, Unawaited::NOTHING] answered; the latter for a change {#without_waiting}
      # @raise [Error]
      def perform(request, key)
        return change_without_waiting(request, key) if @unawaited&.here? && !request.reads?

        request.limit(@timeout) if @timeout
        server = server_for(key, changes: !request.reads?)
        server.perform(request) ? request : settle(request, key, server)
      rescue ConnectionError
        raise unless another_server?(key)

        request = request.again if request.done?
        retry
      end

      # Sends a request to one server, and waits.
      #
      # @return [Request] answered
      # @raise [Error]
      def perform_on(server, request)
        request.limit(@timeout) if @timeout
        server.perform(request) ? request : raise(error(request, server))
      end

      # Empties every server, those that cannot be reached as soon as they answer again.
      #
      # @param delay [Integer] seconds until then
      # @return [Array<true>]
      # @raise [Error] the first failure; the others are emptied
      def flush_all(delay)
        failures = @servers.filter_map do |server|
          request = Request.line("flush_all #{delay}", "OK")
          request.limit(@timeout) if @timeout
          delay.zero? ? server.flush(request) : server.perform(request)
          error(request, server) unless request.answered?
        rescue *FAILURES => error
          error
        end
        raise failures.first unless failures.empty?

        @servers.map { true }
      end

      # Sends requests for many keys at once, one to each server, and waits for all of them. If a server cannot be reached, or does not answer in
      # time, only its own keys are missing.
      #
      # @param keys [Array<String>] as they are sent
      # @param companions [Array] of the keys, one for each
      # @param changes [Boolean] whether the keys are changed
      # @yieldparam keys [Array<String>] of one server
      # @yieldparam companions [Array]
      # @yieldreturn [Request]
      # @return [Array<Request>] answered; none for servers that have failed
      # @raise [ServerError, ClientError] the first refusal of a server
      # @raise [Error] a server has failed, and raise_errors was given
      def perform_all(keys, companions, changes: false, &request)
        failures = []
        parts = on_their_way(by_server(keys, companions, failures, changes), failures, &request)
        await_all(parts)
        answered = parts.filter_map { |part| settle_part(part, failures) }
        failures.each { |failure| report_failure(failure) }
        answered
      end

      # Sends changes of one key that the calling fiber makes within the block without waiting for their answers, and waits for all of them at its
      # end. Failures are reported as in {#perform_all}, refusals too.
      #
      # @return [Object] what the block returned
      # @raise [Error] a change has failed, and raise_errors was given
      def without_waiting
        @unawaited ||= Unawaited.new
        return yield if @unawaited.here?

        @unawaited.within do
          result = yield
          await_changes
          result
        ensure
          await_in_order(@unawaited.take)
        end
      end

      # The caller continues without what has failed.
      #
      # @param failure [Error]
      # @return [nil]
      # @raise [Error] the same, if raise_errors was given
      def report_failure(failure)
        raise failure if @raise_errors

        @on_error&.call(failure)
        nil
      end

      # Makes every command, and the opening of every connection, use the middlewares.
      def observe(middlewares)
        @middlewares = middlewares
        @name = servers.map(&:name).join(",")
        servers.each { |server| server.observe(middlewares) }
        extend(Instrumented)
      end

      def close = @servers.each(&:close)

      private

      def server_for(key, changes: false)
        @only || @ring.server_for(key, changes: changes) || raise(unreachable)
      end

      def unreachable = ConnectionError.new("no server that might have the key can be reached")

      # A server that could not be reached is down now.
      def another_server?(key) = @only.nil? && !@ring.server_for(key).nil?

      # @return [Request] answered
      # @raise [Error]
      def settle(request, key, server)
        (MOST_TRIES - 1).times do
          break unless another_try?(request)

          request = request.again
          server = server_for(key, changes: !request.reads?)
          return request if server.perform(request)
        end
        raise error(request, server)
      end

      # What was not sent may be sent again, and so may a read.
      def another_try?(request)
        loss = request.failure
        loss.is_a?(Loss) && !loss.closed && (!loss.sent || request.reads?)
      end

      def error(request, server)
        return Refusal.error(request.error, server.name) if request.error

        failure = request.failure
        return deadline(failure, server) if failure.is_a?(Abandonment)

        kind = failure.closed ? Closed : (failure.sent ? Indeterminate : NotSent)
        kind.new(failure.reason, server: server.name, sent: failure.sent)
      end

      def deadline(abandonment, server)
        consequence = abandonment.sent ? "answer came: whether it had an effect is not known" : "request was sent: nothing has happened"
        Deadline.new("the deadline has passed before the #{consequence}", server: server.name, sent: abandonment.sent)
      end

      def change_without_waiting(request, key)
        server = server_for(key, changes: true)
        trunk = server.dispatch(request)
        await_changes if @unawaited.push(Part.new(server, trunk, request))
        Unawaited::NOTHING
      rescue ConnectionError => error
        retry if another_server?(key)
        report_failure(error)
        Unawaited::NOTHING
      end

      # Their time begins when they are waited for: the fiber may have done other work since it sent them.
      def await_changes
        parts = @unawaited.take
        parts.each { |part| part.request.limit(@timeout) } if @timeout
        await_in_order(parts)
        failures = []
        parts.each do |part|
          settle_part(part, failures)
        rescue Error => error
          failures << error
        end
        failures.each { |failure| report_failure(failure) }
      end

      def on_their_way(groups, failures)
        groups.filter_map do |server, theirs|
          request = yield(*theirs)
          request.limit(@timeout) if @timeout
          Part.new(server, server.dispatch(request), request)
        rescue *FAILURES => error
          failures << error
          nil
        end
      end

      # A slow server is waited for last.
      def await_all(parts)
        waiting = parts
        slice = FIRST_SLICE
        until waiting.size < 2
          waiting = waiting.reject { |part| part.server.await(part.trunk, part.request, slice) }
          slice *= 2
        end
        waiting.each { |part| part.server.await(part.trunk, part.request) }
      end

      # A connection's answers arrive in the order of its requests: the last one's is the end.
      def await_in_order(parts) = await_all(parts.group_by(&:trunk).map { |_, theirs| theirs.last })

      def by_server(keys, companions, failures, changes)
        return { @only => [keys, companions] } if @only

        groups = keys.each_index.group_by { |index| @ring.server_for(keys[index], changes: changes) }
        failures << unreachable if groups.delete(nil)
        groups.transform_values { |indexes| [keys.values_at(*indexes), companions.values_at(*indexes)] }
      end

      # @return [Request, nil] answered
      def settle_part(part, failures)
        request = part.request
        return request if part.server.answered?(part.trunk, request)
        return request if another_try?(request) && part.server.perform(request = request.again)

        raise error(request, part.server)
      rescue *FAILURES => error
        failures << error
        nil
      end
    end
    private_constant :Cluster
  end
end
