# frozen_string_literal: true

require_relative "../../trunk/abandonment"
require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # One read that is sent to a second replica when it is late. The first answer is the caller's, be it a result or the server's error; a lost
    # connection, or a replica that is behind, is none. What is in flight elsewhere then is ended, also where the caller is interrupted. Copies of the
    # request are sent, one to each replica: it takes the answer of one of them, while the other one's may still be on its way.
    #
    # A caller sleeps on one connection at a time. It waits for the second replica, from which the answer is expected first, and takes in what the first
    # one has sent each eighth of the time for which it has waited already: that answer is noticed late by as much.
    class HedgedRead # :nodoc:
      # Of the time that it has taken, until the first connection is looked at again.
      LOOK = 8
      # Seconds that a cancel may take, at least and at most, and else as long as the read has taken: the caller waits meanwhile.
      CANCEL = (0.01..0.25)
      private_constant :LOOK, :CANCEL

      # A copy on its way to one replica.
      Attempt = Struct.new(:replica, :read, :trunk, :since) do
        def request = read.request
        def done? = request.done?

        # @return [Boolean] whether the server has answered
        def answered? = done? && request.failure.nil? && !request.refused? && !request.bystander?
      end
      private_constant :Attempt

      # @param hedging [Hedging]
      # @param read [Read]
      # @param since [Float] when it was asked for, on the clock of Waiting.now
      def initialize(hedging, read, since)
        @hedging = hedging
        @read = read
        @since = since
        @attempts = []
        @overdue = false
      end

      # @param replica [Replica] that it is sent to first
      # @param late_at [Float] when it is sent a second time
      # @return [Trunk, nil, false] as {Replica#perform}
      # @raise [Error] no connection to that replica could be had
      def perform(replica, late_at)
        first = copy_for(replica)
        first.request.patience = late_at
        Waiting.undisturbed(first.request.scheduler) do
          trunk = replica.perform(first.request, first.guard.after, false)
          conclude(Attempt.new(replica, first, trunk, @since)) if trunk
          @read.request.take_answer(first.request) if trunk.nil?
          trunk
        ensure
          end_each(@attempts)
        end
      end

      # @return [Boolean] whether it was not answered in time
      def overdue? = @overdue

      private

      def copy_for(replica) = @read.copy.tap { |copied| copied.prepare_for(replica) }

      def conclude(first)
        @attempts << first
        send_beside(first.replica) if (@overdue = !first.done?)
        winner = await_any
        note(winner)
        @read.request.take_answer((winner || first).request)
      end

      def send_beside(late)
        copied = @read.copy
        replica, trunk = @hedging.send_beside(copied, late, next_look)
        return unless trunk

        @attempts << Attempt.new(replica, copied, trunk, Waiting.now)
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

      # Where no connection of another replica was free, or no token left, that may be so at the next look.
      def await_one(attempt)
        return attempt.trunk.await(attempt.request) if @attempts.size > 1

        attempt.trunk.await(attempt.request, next_look)
        send_beside(attempt.replica) unless attempt.done?
      end

      def await_either(first, second)
        second.trunk.await(second.request, next_look)
        first.trunk.catch_up unless first.done?
      end

      def next_look = Waiting.now.then { |now| now + ((now - @since) / LOOK) }

      # The first replica is known to take as long as it was waited for.
      def note(winner)
        now = Waiting.now
        @attempts.each { |attempt| @hedging.note(attempt.replica, attempt.read, now - attempt.since) if attempt.done? }
        return if winner.nil? || winner.equal?(@attempts.first)

        winner.replica.note_won
        @attempts.first.replica.times << (now - @since) unless @attempts.first.done?
      end

      # Whatever interrupts the caller meanwhile, none of them stays in flight for it.
      def end_each(attempts)
        attempt, *others = attempts
        return unless attempt

        begin
          @hedging.left(attempt.replica) unless attempt.equal?(@attempts.first)
          end_one(attempt.trunk, attempt.request) unless attempt.done?
        ensure
          end_each(others)
        end
      end

      # The server is asked to cancel what it works on for this caller alone, unless that is so short that its end comes before the cancel. Among requests of
      # others it is left to run, and its answer dropped.
      def end_one(trunk, request)
        return trunk.cancel(request, Waiting.now + (Waiting.now - @since).clamp(CANCEL)) if trunk.codec.in_flight == 1 && trunk.state.held_up?

        trunk.codec.withdraw(request, Abandonment::UNSENT[:cancel])
        request.fail(request.failure || Abandonment::SENT[:cancel])
        @hedging.leave_behind(trunk, request)
      end
    end
    private_constant :HedgedRead
  end
end
