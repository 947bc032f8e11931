# frozen_string_literal: true

require "tempfile"
require_relative "../measure"
require_relative "../data/copied_rows"
require_relative "../servers/postgres_binaries"

module Trunkline
  module Bench
    module Peers
      # The same by psql's \copy, from a file and to one: what a program in C takes that converts no values.
      class PsqlCopy
        def initialize(uri:, direction:)
          @uri = uri
          @direction = direction
          @file = Tempfile.new("copied")
        end

        # @return [Hash] wall; result, the number of rows
        def measure(rows:)
          psql("\\copy copied TO '#{@file.path}'") if @direction == "in" && @file.size.zero?
          psql("TRUNCATE copied") if @direction == "in"
          wall = Measure.now
          psql("\\copy copied #{@direction == "in" ? "FROM" : "TO"} '#{@file.path}'")
          { wall: Measure.now - wall, cpu: nil, result: rows }
        end

        private

        def psql(command) = system(PostgresBinaries.path("psql"), "-qX", "-d", @uri, "-c", command, exception: true)
      end
    end
  end
end
