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
        def self.milliseconds(seconds) = format("%.3g ms", seconds * 1000)
      end
      private_constant :Timing
    end
  end
end
