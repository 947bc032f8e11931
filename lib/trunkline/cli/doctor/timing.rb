# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Measures times from here.
      module Timing # :nodoc:
        # Measurements, of which the median is reported. A bound on what the command takes: 50 round trips of 100 ms take 5 s.
        TIMES = 50
        private_constant :TIMES

        # @param what [String] subject of the sentence
        # @yield sends one query
        # @return [Array(Symbol, String)] verdict and sentence, for many times after one that is not counted
        def self.round_trip(what)
          yield
          each = TIMES.times.map { seconds { yield } }.sort
          [:fine, "#{what} takes #{milliseconds(each[TIMES / 2])} from here and back, the fastest #{milliseconds(each.first)}."]
        end

        # @return [Float] seconds that the block takes
        def self.seconds
          start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          yield
          Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
        end

        # @return [String] with its unit
        def self.milliseconds(seconds) = "#{significant(seconds * 1000)} ms"

        # @param number [Numeric]
        # @return [String] three digits of it, or all before the point, and no exponent
        def self.significant(number) = format(number < 999.5 ? "%.3g" : "%.0f", number)
      end
      private_constant :Timing
    end
  end
end
