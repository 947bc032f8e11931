# frozen_string_literal: true

require_relative "timing"

module Trunkline
  module CLI
    class Doctor
      # Measures how long a query takes from here, and whether several run at the same time.
      module Speed # :nodoc:
        QUERY = "SELECT 1"
        # It takes the server 20 ms, and no CPU time.
        SLOW = "SELECT 1 FROM pg_catalog.pg_sleep(0.02)"
        # As many as share connections by default.
        AT_ONCE = 4
        # The fraction of the time one after another that several at once may take: a bound, not tuned. Four queries that overlap take a quarter of
        # it.
        OVERLAP = 0.8
        private_constant :QUERY, :SLOW, :AT_ONCE, :OVERLAP

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient) = [Timing.round_trip("A query") { patient.db.value(QUERY) }, overlap(patient.db)]

        # The first round opens connections, and lets the client measure how long the query takes.
        def self.overlap(db)
          at_once = -> { AT_ONCE.times.map { db.async(SLOW) }.each(&:value) }
          2.times { at_once.call }
          apart = Timing.seconds { AT_ONCE.times { db.value(SLOW) } }
          together = Timing.seconds(&at_once)
          how = "#{AT_ONCE} of 20 ms at once took #{Timing.milliseconds(together)}, one after another #{Timing.milliseconds(apart)}"
          return [:fine, "Queries overlap: #{how}."] if together < apart * OVERLAP

          [:advice, "Queries do not overlap: #{how}. A proxy in between lets only one at a time pass, or a machine is busy."]
        end

        private_class_method :overlap
      end
      private_constant :Speed
    end
  end
end
