# frozen_string_literal: true

require "sequel"
require_relative "../measure"
require_relative "../data/fingerprint"
require_relative "../data/resources"

module Trunkline
  module Bench
    module Peers
      # A whole table by Sequel, with one adapter or the other: as Hashes, or some columns of it.
      class SequelRows
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
        def answers = Fingerprint.of(@rows.call.map(&:to_a))

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure = Measure.run { @rows.call.size }
      end
    end
  end
end
