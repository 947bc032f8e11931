# frozen_string_literal: true

require "trunkline"
require_relative "../abandoned_requests"

module Trunkline
  module Bench
    module Peers
      # Requests that share the connections of one client.
      class TrunklineAbandonedRequests
        include AbandonedRequests

        def initialize(uri:, rows:, connections:)
          @rows = rows
          @db = Trunkline.postgres(uri, connections: 4, max_connections: connections)
        end

        private

        def select(id) = @db.value(Accounts::SELECT, id)
        def report = @db.value(REPORT)

        def transaction(number)
          @db.transaction { |tx| 2.times { tx.query(UPDATE, number) } }
        end
      end
    end
  end
end
