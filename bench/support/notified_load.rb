# frozen_string_literal: true

require_relative "isolated"
require_relative "measure"
require_relative "side_by_side"
require_relative "data/accounts"

module Trunkline
  module Bench
    # A listener and, in the same process, callers with short queries at an even pace; another process notifies. Includers say how
    # one listens and asks: `listening` yields once it does, with a callable that waits for the next payload; `ask`.
    module NotifiedLoad
      CALLERS = 8
      PACE = 0.004 # seconds from one query of a caller to its next one
      CHANNEL = "bench"
      private_constant :PACE

      # @param kind [String] see {SideBySide}
      # @param rows [Integer] of the table that is asked
      def initialize(uri:, kind:, rows:)
        @uri = uri
        @kind = kind
        @rows = rows
        @notifier = Isolated.new("pg_notifier", uri: uri)
      end

      # @return [Array<Integer>] the numbers that came, in order
      def answers(**load) = taken(**load).map(&:first)

      # @param count [Integer] notifications
      # @param rate [Numeric] of them a second
      # @return [Hash] wall, cpu, objects; result, the number of notifications; p50, p99 and max: seconds that they took; asked: queries
      def measure(count:, rate:)
        took = nil
        measured = Measure.run { (took = taken(count: count, rate: rate).map(&:last).sort).size }
        { **measured, p50: took[count / 2], p99: took[count * 99 / 100], max: took.last, asked: @asked }
      end

      private

      # @return [Array<Array(Integer, Float)>] number, and seconds
      def taken(count:, rate:)
        @over = false
        @asked = 0
        SideBySide.run(@kind, CALLERS + 1) { |number| number.zero? ? listen(count, rate) : ask_evenly(number) }.first
      end

      def listen(count, rate)
        listening do |wait|
          sender = Thread.new { @notifier.call(:notify, channel: CHANNEL, count: count, rate: rate) }
          Array.new(count) { came(wait.call) }.tap { sender.join }
        end
      ensure
        @over = true
      end

      def came(payload)
        now = Measure.now
        number, sent = payload.split
        [Integer(number), now - Float(sent)]
      end

      # Each caller at another moment.
      def ask_evenly(caller)
        due = Measure.now + (PACE * caller / CALLERS)
        until @over
          pause = (due += PACE) - Measure.now
          sleep(pause) if pause.positive?
          ask(caller, Accounts.id(@asked += 1, @rows))
        end
      end
    end
  end
end
