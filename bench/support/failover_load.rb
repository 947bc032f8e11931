# frozen_string_literal: true

require_relative "measure"

module Trunkline
  module Bench
    # Writers of unique tokens, while their primary goes away: what became of each token is noted, and compared with what the next primary has.
    class FailoverLoad
      Write = Struct.new(:token, :writer, :at)
      private_constant :Write

      # Of a client: by themselves and in transactions, by turns.
      #
      # @param db [Postgres::Client]
      # @param writers [Integer] threads
      # @param pause [Float] seconds between two writes of one
      # @param table [String]
      def self.over(db, writers, pause: 0, table: "tokens")
        insert = "INSERT INTO #{table} VALUES ($1)"
        uncertain = ->(error) { !error.is_a?(ServerError) && error.sent? }
        new(writers, pause: pause, uncertain: uncertain) do |token, number|
          number.even? ? db.query(insert, token) : db.transaction { |tx| tx.query(insert, token) }
        end
      end

      # @return [Queue<Exception>] of writes that failed without an effect
      attr_reader :errors

      # @param writers [Integer] threads
      # @param uncertain [#call] gets an error, and tells whether the write may have had its effect
      # @param pause [Float] seconds between two writes of one
      # @param expected [Class] of errors; others end the run
      # @yieldparam token [String] to be written
      # @yieldparam number [Integer] of the write, among those of its writer
      def initialize(writers, uncertain:, pause: 0, expected: Error, &write)
        @uncertain = uncertain
        @expected = expected
        @pause = pause
        @write = write
        @acknowledged = Queue.new
        @uncertain_errors = Queue.new
        @errors = Queue.new
        @going_on = true
        @last_writes = {} # times of the last acknowledged write, by writer
        @lock = Thread::Mutex.new
        @more = Thread::ConditionVariable.new
        @writers = writers
        @threads = Array.new(writers) { |writer| Thread.new { write_on(writer) } }
      end

      # Has each writer finish what it is at.
      def finish
        @going_on = false
        @threads.each(&:join)
      end

      # @return [Integer] how many writes have been acknowledged so far
      def count = @acknowledged.size

      # Waits asleep: a thread that asks again and again keeps Ruby's lock for up to 0.1 s at a time, and writers need it for each step of a connection.
      #
      # @param writes [Integer] that are acknowledged from now on, or since an earlier count
      # @param timeout [Numeric] seconds
      # @param since [Integer] that count
      # @return [Boolean] whether there were as many within that time
      def await(writes, timeout:, since: count)
        await_that(timeout) { count >= since + writes }
      end

      # Waits until each writer has had a write acknowledged since a time.
      #
      # @param time [Float] on the monotonic clock
      # @param timeout [Numeric] seconds
      # @return [Boolean] whether that was so within the timeout
      def await_each(time, timeout:) = await_that(timeout) { @last_writes.count { |_, at| at >= time } == @writers }

      # Of a load that is finished.
      #
      # @param server [#psql] the next primary
      # @param table [String] that it has written to
      # @return [Hash{Symbol => Integer}] acknowledged and uncertain writes, errors, and of the acknowledged those that are lost and of all those
      #   that are there more than once
      def compared_with(server, table: "tokens")
        present = server.psql("SELECT token FROM #{table}").split("\n")
        @there = present.to_h { |token| [token, true] }
        { acknowledged: writes.size, indeterminate: @uncertain_errors.size, errors: @errors.size, lost: lost.size, doubled: present.size - present.uniq.size }
      end

      # After {#compared_with}.
      #
      # @param time [Float] on the monotonic clock
      # @return [Integer] writes that were acknowledged later, and are lost
      def lost_after(time) = lost.count { |write| write.at > time }

      # After {#compared_with}.
      #
      # @param times [Array<Range<Float>>] on the monotonic clock
      # @return [Integer] writes that were acknowledged at other times, and are lost
      def lost_outside(times) = lost.count { |write| times.none? { |range| range.cover?(write.at) } }

      # @param time [Float] on the monotonic clock
      # @return [Array<Float>] seconds from then on after which each writer had a write acknowledged, in order
      def resumed_after(time)
        writes.select { |write| write.at >= time }.group_by(&:writer).map { |_, later| later.map(&:at).min - time }.sort
      end

      # Of a load that goes on, for the message of a test.
      #
      # @return [String] how many writers wait where, and what the errors so far say
      def whereabouts
        places = @threads.filter_map { |thread| thread.backtrace&.first(12)&.join("\n") }.tally.map { |place, number| "#{number} writers at\n#{place}" }
        [*places, "#{count} acknowledged", *messages(@errors), *messages(@uncertain_errors)].join("\n")
      end

      # @return [Float] seconds of the longest time without an acknowledged write
      def gap = writes.map(&:at).sort.each_cons(2).map { |before, after| after - before }.max.to_f

      private

      def await_that(timeout)
        deadline = Measure.now + timeout
        @lock.synchronize do
          @more.wait(@lock, deadline - Measure.now) until (there = yield) || Measure.now >= deadline
          there || yield
        end
      end

      def messages(errors) = Array.new(errors.size) { errors.pop.message }.tally.map { |message, number| "#{number} times #{message}" }

      def lost = writes.reject { |write| @there.key?(write.token) }

      def writes = @writes ||= Array.new(@acknowledged.size) { @acknowledged.pop }

      def write_on(writer)
        number = 0
        while @going_on
          write("#{writer} #{number += 1}", writer, number)
          sleep @pause if @pause.positive?
        end
      end

      def write(token, writer, number)
        @write.call(token, number)
        @acknowledged << Write.new(token, writer, at = Measure.now)
        @lock.synchronize { (@last_writes[writer] = at) && @more.broadcast }
      rescue Closed # its client is, as the test has failed
        @going_on = false
      rescue @expected => error
        (@uncertain.call(error) ? @uncertain_errors : @errors) << error
      end
    end
  end
end
