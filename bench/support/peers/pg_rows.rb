# frozen_string_literal: true

require "bigdecimal"
require "pg"
require_relative "../data/resources"
require_relative "whole_table"

module Trunkline
  module Bench
    module Peers
      # One connection of the pg gem, a whole table, every value as a Ruby object of its type.
      class PgRows
        include WholeTable

        def initialize(uri:)
          @connection = PG.connect(uri)
          @connection.type_map_for_results = PG::BasicTypeMapForResults.new(@connection)
        end

        private

        def rows = @connection.exec(Resources::SELECT).values
      end
    end
  end
end
