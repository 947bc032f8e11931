# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "../../trunk/abandonment"
require_relative "../../trunk/output_writer"
require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # One read that is sent to a second replica when it is slow. The first answer is the caller's, a result or the server's error; a lost connection,
    # or a replica that is behind, is no answer. What is then still in flight elsewhere is ended, also if the caller is interrupted. Each replica gets
    # a copy of the request: the request takes the answer of one copy, while another copy may still be in flight.
    #
    # A caller sleeps on one connection at a time. It waits for the second replica, whose answer is expected first, and reads from the first one in
    # intervals of an eighth of the time that it has waited, and half a second at most: that answer is noticed so much later. While something remains to be
    # written to the first one, the caller tries again after a pause, which doubles with each try that writes nothing.
    class HedgedRead # :nodoc:
      # The fraction of the waited time after which the first connection is read again. A read that was slow after 10 ms and took a second was polled
      # 29 times, for 5 ms of the client's processor (load 15).
      POLL_DIVISOR = 8
      # Seconds between two polls, at most: half of what one wait takes at most. A read that takes a minute is polled some 160 times, which by that
      # measurement costs 28 ms.
      LONGEST_INTERVAL = Socket::Readiness::LONGEST_WAIT / 2
      # Seconds that a cancel may take, at least and at most; in between, as long as the read has taken: the caller waits meanwhile.
      # Of 40 cancels half took 11 ms at most, and the longest 39 (load 15).
      CANCEL = (0.01..0.25)
      # Seconds between two tries to write to the first connection, at least and at most. In the intervals of polls a read of 4 MB, for which the caller
      # had waited for a second, took 3.5 s more. Where the other end takes nothing, ten tries in the first second and four in each further one take
      # some 50 us of the processor each.
      PAUSE = (OutputWriter::WRITE_AGAIN..0.25)
      private_constant :POLL_DIVISOR, :LONGEST_INTERVAL, :CANCEL, :PAUSE

      # A copy in flight to one replica.
      Attempt = Struct.new(:replica, :read, :trunk, :since, :route) do
        def request = read.request
        def done? = request.done?

        # @return [Boolean] whether the server has answered
        def answered? = done? && request.failure.nil? && !request.refused? && !request.bystander?
      end
      private_constant :Attempt

      # @param hedging [Hedging]
      # @param read [Read]
      # @param since [Float] when the caller began it, on the clock of Waiting.now
      def initialize(hedging, read, since)
        @hedging = hedging
        @read = read
        @since = since
        @attempts = []
        @slow = false
        @pause = nil # seconds until it tries to write to the first connection again; nil: nothing remains to be written
      end

      # @param replica [Replica] to which it is sent first
      # @param slow_at [Float] when it counts as slow, and is sent a second time
      # @return [Trunk, nil, false] as {Replica#perform}
      # @raise [Error] no connection to that replica could be opened
      def perform(replica, slow_at)
        first = copy_for(replica)
        first.request.wait_until = slow_at
        Waiting.without_interrupts(first.request.scheduler) do
          next conclude_instead(slow_at) if replica.would_wait?(first.request) && send_instead(replica, slow_at)

          trunk = replica.perform(first.request, first.guard.after, false)
          conclude(replica, first, trunk) if trunk
          @read.request.take_answer(first.request) if trunk.nil?
          trunk
        ensure
          end_each(@attempts) if @slow
        end
      end

      # @return [Boolean] whether it was not answered until slow_at
      def slow? = @slow

      private

      def copy_for(replica) = @read.copy.tap { |copied| copied.prepare_for(replica) }

      # One that is done by then, or lost, is not sent a second time.
      def conclude(replica, first, trunk)
        return conclude_slow(Attempt.new(replica, first, trunk, @since)) unless first.request.done?

        @hedging.note(replica, first, Waiting.now - @since)
        @read.request.take_answer(first.request)
      end

      def conclude_slow(first)
        @slow = true
        @attempts << first
        send_beside(first.replica)
        settle(first)
      end

      # Where the connections of a replica take nothing, as it has stopped for instance, a read would wait until they are lost. While it waits for one,
      # it is not sent a second time.
      def send_instead(first, slow_at)
        copied = @read.copy
        replica, trunk, route = @hedging.send_instead(copied, first, slow_at)
        @attempts << Attempt.new(replica, copied, trunk, @since, route) if trunk
        trunk
      end

      def conclude_instead(slow_at)
        @slow = true
        first = @attempts.first
        first.trunk.await(first.request, slow_at)
        send_beside(first.replica) unless first.done?
        settle(first)
        first.trunk
      end

      def settle(first)
        winner = await_any
        note(winner)
        @read.request.take_answer((winner || first).request)
      end

      def send_beside(slow)
        copied = @read.copy
        replica, trunk, route = @hedging.send_beside(copied, slow, next_poll)
        return unless trunk

        @attempts << Attempt.new(replica, copied, trunk, Waiting.now, route)
        replica.note_hedged
      end

      # @return [Attempt, nil] the first that was answered; nil: there will be no answer
      def await_any
        loop do
          winner = @attempts.find(&:answered?) and return winner
          first, second = @attempts.reject(&:done?)
          return unless first

          second ? await_either(first, second) : await_one(first)
        end
      end

      # If no connection of another replica was free, or no token left, it tries again in the next interval.
      def await_one(attempt)
        return attempt.trunk.await(attempt.request) if @attempts.size > 1

        attempt.trunk.await(attempt.request, next_poll)
        send_beside(attempt.replica) unless attempt.done?
      end

      def await_either(first, second)
        exchange_unattended(first.trunk)
        second.trunk.await(second.request, @pause ? Waiting.now + @pause : next_poll) unless first.done?
      end

      def exchange_unattended(trunk)
        before = trunk.codec.output.size
        trunk.read_unattended
        unwritten = trunk.codec.output.size
        @pause = unwritten.zero? ? nil : pause_after(unwritten < before)
      end

      def pause_after(written) = written || @pause.nil? ? PAUSE.min : [@pause * 2, PAUSE.max].min

      def next_poll = Waiting.now.then { |now| now + [(now - @since) / POLL_DIVISOR, LONGEST_INTERVAL].min }

      # The first replica has taken at least as long as the caller waited for it.
      def note(winner)
        now = Waiting.now
        @attempts.each { |attempt| @hedging.note(attempt.replica, attempt.read, now - attempt.since) if attempt.done? }
        return if winner.nil? || winner.equal?(@attempts.first)

        winner.replica.note_won
        @attempts.first.replica.times << (now - @since) unless @attempts.first.done?
      end

      # No copy stays in flight for the caller, even if it is interrupted meanwhile.
      def end_each(attempts)
        attempt, *others = attempts
        return unless attempt

        begin
          @hedging.left(attempt.route) if attempt.route
          end_one(attempt.trunk, attempt.request) unless attempt.done?
        ensure
          end_each(others)
        end
      end

      # If the server executes only this caller's read, it is cancelled, unless it is so short that it ends before a cancel would arrive. Among
      # requests of others it is left to run, and its answer is dropped.
      def end_one(trunk, request)
        return trunk.cancel(request, Waiting.now + (Waiting.now - @since).clamp(CANCEL)) if trunk.codec.in_flight == 1 && trunk.state.head_blocks?

        trunk.codec.withdraw(request, Abandonment::UNSENT[:cancel])
        request.fail(request.failure || Abandonment::SENT[:cancel])
        @hedging.abandon(trunk, request)
      end
    end
    private_constant :HedgedRead
  end
end
