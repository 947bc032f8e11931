# frozen_string_literal: true

require_relative "../../trunk/pool/pool"
require_relative "asynchronous_commit"
require_relative "flusher"
require_relative "shared_flush"

module Trunkline
  module Postgres
    # Writes of many callers that wait together for the server's disk. Each is its own transaction, on dedicated connections with synchronous_commit
    # off, and is acknowledged when a flush, for which other callers wait too, has made it durable. If no other caller writes, a write uses a shared
    # connection, and its own commit is the flush.
    class GroupCommit # :nodoc:
      # Possessive, so that matching takes linear time.
      WRITE = %r{\A(?:\s|--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)*+(?:INSERT|UPDATE|DELETE|MERGE)\b}im
      # Seconds until the next attempt after such connections could not be opened, or were not suitable. It is a bound: each costs a login, and the reason,
      # a pooler or a missing privilege, seldom ends by itself; a write that waits for one takes as long as a login.
      PAUSE = 30.0
      # Seconds for which a write counts as under way, a bound. Its fiber may have been dropped by its event loop; a write that does take longer is only not
      # counted, so that a lone one beside it commits by itself.
      COUNTED_FOR = 30.0
      private_constant :WRITE, :PAUSE, :COUNTED_FOR

      # @return [Array<Pool>] of connections with asynchronous commits, for writes only
      attr_reader :pools

      # @param pool [Pool] of the usual connections
      # @param connections [Integer] for writes, at most
      # @param options keywords of {Pool#initialize}
      # @yield [pool] opens a connection that {AsynchronousCommit.prepare} has prepared
      # @yieldreturn [Trunk]
      def initialize(pool, connections, **options, &open)
        @pool = pool
        @pools = [connections, 1].map { |most| Pool.new(connections: most, most: most, **options, &open) }
        @writers = @pools.first
        @flusher = Flusher.new(@pools.last)
        begin_anew
      end

      # @return [Hash{Symbol => Object}] see {Client#stats}
      def stats = { **@writers.stats, unavailable: unavailable? ? @refusal : nil }

      # @return [Boolean] whether the statement begins as a write; others that write commit by themselves
      def write?(request)
        return request.members.any? { |member| write?(member) } if request.members

        !request.statement.nil? && WRITE.match?(request.statement.sql)
      end

      # Sends the request, and waits until it is answered and durable.
      def perform(request)
        return @pool.perform(request) unless suitable?(request)

        begin_anew unless @generation == Trunkline.process_generation
        begin
          @writing[write = Object.new] = Waiting.now
          others_write? || several?(request) ? perform_together(request) : @pool.perform(request)
        ensure
          @writing.delete(write)
        end
      end

      private

      def begin_anew
        @generation = Trunkline.process_generation
        @writing = {}.compare_by_identity # writes of all threads, and when each began: each change is one step of Ruby's, so no lock is needed
        @resume_at = @refusal = nil
      end

      # The calling writer has been added.
      def others_write?
        while @writing.size > 1
          oldest, since = @writing.first
          return true if since.nil? || Waiting.now < since + COUNTED_FOR

          @writing.delete(oldest)
        end
        false
      end

      # A statement that cannot run in a transaction may have effects outside the write-ahead log.
      def suitable?(request) = request.members ? request.members.all? { |member| suitable?(member) } : request.statement&.classification == :shareable

      def several?(request) = !request.members.nil? && !request.atomic? && request.members.size > 1

      def unavailable?
        resume_at = @resume_at
        !resume_at.nil? && Waiting.now < resume_at
      end

      # Without such a connection each write commits by itself, and no caller waits for one.
      def perform_together(request)
        return @pool.perform(request) if unavailable?

        begin
          @flusher.open(request)
          @writers.over_shared_trunk(request) { |trunk| write(trunk, request) }
        rescue ConnectionError, ServerError => error
          raise if error.is_a?(Closed) || error.is_a?(Overloaded) || request.done?

          @refusal = error.message
          @resume_at = Waiting.now + PAUSE
          @pool.perform(request)
        end
      end

      # The caller is active on the connection until its write is durable: meanwhile no other caller retires the connection or uses it from another
      # event loop.
      def write(trunk, request)
        Waiting.without_interrupts(request.scheduler) do
          writer = Waiter.new
          next false unless trunk.state.enter(writer)

          begin
            flushes = @flusher.flushes_for(trunk)
            next false unless trunk.perform(request)

            confirm(request, flushes, trunk.codec.flushes) { trunk.state.wakes_by(Waiting.now + Attendance::LONGEST_SLEEP) }
            true
          ensure
            trunk.leave_unused(writer)
          end
        end
      end

      # A failed write has nothing to flush. The write's own connection flushes it if the flusher's is lost.
      #
      # @yield at least once a second, while the caller waits
      def confirm(request, *flushes, &)
        requests = request.members ? [request, *request.members].select(&:answered?) : [request]
        return unless requests.first&.answered?

        unflushed = nil
        flushes.each do |covering|
          next unless covering
          return unless (unflushed = covering.wait(request.deadline, &))
          break unless unflushed.why == :failed
        end
        requests.each { |executed| executed.fail_answered(unflushed) }
      end
    end
    private_constant :GroupCommit
  end
end
