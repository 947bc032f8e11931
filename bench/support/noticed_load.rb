# frozen_string_literal: true

require_relative "measure"
require_relative "side_by_side"

module Trunkline
  module Bench
    # A statement that raises many notices, each of which is told to a block, and another caller of the process, which sleeps for a
    # millisecond over and over. Includers say how one asks: `flood` yields the message of each notice.
    module NoticedLoad
      FUNCTION = <<~SQL
        CREATE FUNCTION flood(notices int) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN FOR i IN 1..notices LOOP RAISE NOTICE 'number %', i; END LOOP; RETURN notices; END $$
      SQL
      QUERY = "SELECT flood(%d)"
      PAUSE = 0.001 # seconds
      private_constant :PAUSE

      # @return [Array<String>] the messages
      def answers(count:) = [].tap { |messages| flood(count) { |message| messages << message } }

      # @return [Hash] wall, cpu, objects; result, the number of notices that were told
      def measure(count:) = Measure.run { told(count) }

      # @return [Integer] bytes of memory at most, beyond what the process had before
      def memory(count:)
        told(1000)
        GC.start
        File.write("/proc/self/clear_refs", "5") # from now on, the peak is counted anew
        before = resident("VmRSS")
        told(count)
        (resident("VmHWM") - before) * 1024
      end

      # @param kind [String] see {SideBySide}
      # @return [Float] seconds that the other caller waited at most beyond its millisecond
      def longest_wait(kind:, count:)
        over = false
        waits = SideBySide.run(kind, 2) do |number|
          number.zero? ? told(count).tap { over = true } : longest_pause { over }
        end
        waits.last - PAUSE
      end

      private

      def told(count)
        told = 0
        flood(count) { told += 1 }
        told
      end

      def longest_pause
        longest = 0
        until yield
          began = Measure.now
          sleep(PAUSE)
          longest = [longest, Measure.now - began].max
        end
        longest
      end

      def resident(which) = File.read("/proc/self/status")[/#{which}:\s+(\d+)/, 1].to_i
    end
  end
end
