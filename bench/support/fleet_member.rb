# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "measure"

module Trunkline
  module Bench
    # What one of many processes does that ask the same server: fibers, each of which waits there for a moment, again and again.
    class FleetMember
      PAUSE = 0.01 # seconds after an error
      private_constant :PAUSE

      # @param kind [String] of what they do: transactions or queries
      # @param callers [Integer]
      # @param wait [Float] seconds that the server takes for each answer
      # @param options of Trunkline.postgres
      def initialize(uri:, kind:, callers: 16, wait: 0.02, **options)
        @transactions = kind == "transactions"
        @callers = callers
        @sql = "SELECT pg_sleep(#{wait})"
        @db = Trunkline.postgres(uri, **options)
        @errors = []
        @answered = 0
        @longest = 0.0
      end

      # Lets the callers begin.
      #
      # @return [void]
      def begin
        @began = Measure.now
        @going_on = true
        @thread = Thread.new { Sync { |task| Array.new(@callers) { task.async { ask_on } }.each(&:wait) } }
        nil
      end

      # @return [Hash{Symbol => Object}] answered: since the last look; longest: seconds that a caller has waited since then; open: connections;
      #   errors: all so far, seconds after the beginning with what a caller was told
      def look
        answered, longest = @answered, @longest
        @answered, @longest = 0, 0.0
        { answered: answered, longest: longest, open: @db.stats[:open], errors: @errors }
      end

      # Lets the callers end, and closes the client.
      #
      # @return [Hash] as {#look}
      def finish
        @going_on = false
        @thread.join
        look.tap { @db.close }
      end

      private

      def ask_on
        while @going_on
          start = Measure.now
          ask
          @longest = [@longest, Measure.now - start].max
        end
      end

      def ask
        @transactions ? @db.transaction { |transaction| transaction.value(@sql) } : @db.value(@sql)
        @answered += 1
      rescue Error => error
        @errors << [Measure.now - @began, "#{error.class}: #{error.message}"]
        sleep PAUSE
      end
    end
  end
end
