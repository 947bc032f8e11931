# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # How long a query takes from here, and whether several overlap.
      module Speed # :nodoc:
        QUERY = "SELECT 1"
        TIMES = 50
        # It takes the server 20 ms, and no work.
        SLOW = "SELECT 1 FROM pg_catalog.pg_sleep(0.02)"
        AT_ONCE = 4
        # What several at once may take of the time that they take one after another.
        OVERLAP = 0.8
        private_constant :QUERY, :TIMES, :SLOW, :AT_ONCE, :OVERLAP

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient) = [round_trip(patient.db), overlap(patient.db)]

        def self.round_trip(db)
          db.value(QUERY)
          each = TIMES.times.map { seconds { db.value(QUERY) } }.sort
          [:fine, "A query takes #{milliseconds(each[TIMES / 2])} from here and back, the fastest #{milliseconds(each.first)}."]
        end

        # The first time connections are opened, and the client learns how long the query takes.
        def self.overlap(db)
          at_once = -> { AT_ONCE.times.map { db.async(SLOW) }.each(&:value) }
          2.times { at_once.call }
          apart = seconds { AT_ONCE.times { db.value(SLOW) } }
          together = seconds(&at_once)
          how = "#{AT_ONCE} of 20 ms at once took #{milliseconds(together)}, one after another #{milliseconds(apart)}"
          return [:fine, "Queries overlap: #{how}."] if together < apart * OVERLAP

          [:advice, "Queries do not overlap: #{how}. A proxy in between lets only one at a time pass, or a machine is busy."]
        end

        def self.seconds
          start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          yield
          Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
        end

        def self.milliseconds(seconds) = format("%.3g ms", seconds * 1000)
        private_class_method :round_trip, :overlap, :seconds, :milliseconds
      end
      private_constant :Speed
    end
  end
end
