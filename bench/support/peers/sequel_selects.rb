# frozen_string_literal: true

require "sequel"
require_relative "shared_selects"
require_relative "../side_by_side"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # Many callers of one Sequel database, with one adapter or the other: threads, or fibers under Async.
      class SequelSelects
        include SharedSelects

        # @param adapter [String] "postgres" or "trunkline"
        # @param kind [String] of callers: "thread" or "fiber"
        # @param work [String] "prepared" or "dataset"
        # @param connections [Integer] the most that there are, and for Trunkline one more
        def initialize(uri:, rows:, adapter:, kind:, callers:, connections:, work:)
          @rows = rows
          @callers = callers
          @kind = kind
          @db = connect(uri, adapter, connections)
          accounts = @db[:accounts]
          prepared = accounts.where(id: :$id).select(:balance).prepare(:first, :balance)
          @ask = work == "prepared" ? ->(id) { prepared.call(id: id) } : ->(id) { accounts.where(id: id).select(:balance).first }
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:) = ids.map { |id| @ask.call(id)[:balance] }

        private

        def connect(uri, adapter, connections)
          return Sequel.connect(uri.sub(/\Apostgres(ql)?:/, "postgres:"), max_connections: connections) if adapter == "postgres"

          Sequel.connect(uri.sub(/\Apostgres(ql)?:/, "trunkline:"), connections: connections, max_connections: connections + 1)
        end

        def together(&caller) = SideBySide.run("#{@kind}s", @callers, &caller)

        def select(first, share)
          share.times { |number| @ask.call(Accounts.id(first + number, @rows)) }
        end
      end
    end
  end
end
