# frozen_string_literal: true

require "trunkline"
require_relative "shared_selects"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # Callers of one Trunkline client; how they run is for subclasses to say.
      class TrunklineSelects
        include SharedSelects

        # @param callers [Integer] how many ask at once
        # @param options of the client, beside the number of connections
        def initialize(uri:, rows:, callers:, connections:, **options)
          @rows = rows
          @callers = callers
          @db = Trunkline.postgres(uri, connections: connections, max_connections: connections + 1, **options)
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:) = ids.map { |id| @db.value(Accounts::SELECT, id) }

        private

        def select(first, share)
          share.times { |number| @db.value(Accounts::SELECT, Accounts.id(first + number, @rows)) }
        end
      end
    end
  end
end
