# frozen_string_literal: true

require "trunkline"
require_relative "../data/resources"
require_relative "whole_table"

module Trunkline
  module Bench
    module Peers
      # One connection of Trunkline, a whole table, every value as a Ruby object of its type.
      class TrunklineRows
        include WholeTable

        def initialize(uri:)
          @db = Trunkline.postgres(uri, connections: 1, max_connections: 2)
        end

        private

        def rows = @db.query(Resources::SELECT).rows
      end
    end
  end
end
