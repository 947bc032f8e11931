# frozen_string_literal: true

require_relative "trunkline_backlog"

module Trunkline
  module Bench
    module Peers
      # What one would set by hand: as many connections for long queries as the server has processors, and the others for short ones.
      class ApartBacklog < TrunklineBacklog
        PROCESSORS = 2
        private_constant :PROCESSORS

        def initialize(uri:, rows:, connections:, max_connections:)
          super
          @reports = Trunkline.postgres(uri, connections: PROCESSORS + 1, max_connections: PROCESSORS + 2) # one is for short ones
          PROCESSORS.times { @reports.value("SELECT 1") }
        end

        private

        def value(sql, parameter) = (sql == Accounts::SELECT ? @db : @reports).value(sql, parameter)
      end
    end
  end
end
