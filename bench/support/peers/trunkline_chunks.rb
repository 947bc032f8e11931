# frozen_string_literal: true

require "trunkline"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/fingerprint"
require_relative "../data/resources"

module Trunkline
  module Bench
    module Peers
      # Trunkline's callers fetch a whole table in chunks, over as many connections.
      class TrunklineChunks
        def initialize(uri:)
          @uri = uri
        end

        # @return [String] the same for the same values
        def answers(**plan) = Fingerprint.of(with_client(plan) { |db| fetch(db, **plan) }.sort_by(&:first))

        # @return [Hash] see {Measure.times}
        def measure(**plan)
          with_client(plan) do |db|
            fetch(db, **plan)
            Measure.times { fetch(db, **plan).size }
          end
        end

        private

        def with_client(plan) = Trunkline.postgres(@uri, connections: plan[:callers], max_connections: plan[:callers] + 1) { |db| yield db }

        def fetch(db, kind:, callers:, size:)
          return db.query(Resources::SELECT).rows if size.nil?

          chunks = Resources.chunks(size)
          SideBySide.run(kind, callers) do
            rows = []
            chunks.call { |after, upto| rows.concat(db.query(Resources::CHUNK, after, upto).rows) }
            rows
          end.flatten(1)
        end
      end
    end
  end
end
