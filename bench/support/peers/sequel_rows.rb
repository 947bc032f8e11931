# frozen_string_literal: true

require "sequel"
require_relative "whole_table"

module Trunkline
  module Bench
    module Peers
      # A whole table by Sequel, with one adapter or the other: as Hashes, or some columns of it.
      class SequelRows
        include WholeTable

        # @param adapter [String] "postgres" or "trunkline"
        # @param work [String] "all", "select_map" or "select_hash"
        def initialize(uri:, adapter:, work:)
          db = Sequel.connect(uri.sub(/\Apostgres(ql)?:/, "#{adapter}:"), max_connections: 2)
          @rows = {
            "all" => -> { db[:resources].all }, "select_map" => -> { db[:resources].select_map(%i[id name price]) },
            "select_hash" => -> { db[:resources].select_hash(:id, :title) }
          }.fetch(work)
        end

        # @return [String] the same for the same values
        def answers = Fingerprint.of(rows.map(&:to_a))

        private

        def rows = @rows.call
      end
    end
  end
end
