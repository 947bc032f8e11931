# frozen_string_literal: true

require "pg"
require_relative "../abandoned_requests"

module Trunkline
  module Bench
    module Peers
      # Requests that wait in a queue for connections of the pg gem. One that was stopped in the middle of a query is asked to cancel it.
      class PgAbandonedRequests
        include AbandonedRequests

        def initialize(uri:, rows:, connections:)
          @rows = rows
          @free = Queue.new
          connections.times { @free << PG.connect(uri).tap { |connection| prepare(connection) } }
        end

        private

        def prepare(connection)
          { "select" => Accounts::SELECT, "report" => REPORT, "update" => UPDATE }.each { |name, sql| connection.prepare(name, sql) }
        end

        def select(id) = ask("select", [id])
        def report = ask("report", [])

        def transaction(number)
          connected { |connection| connection.transaction { 2.times { connection.exec_prepared("update", [number]) } } }
        end

        def ask(name, parameters) = connected { |connection| connection.exec_prepared(name, parameters).getvalue(0, 0).to_i }

        def connected
          connection = @free.pop
          yield connection
        ensure
          @free << freed(connection) if connection
        end

        def freed(connection)
          connection.cancel if connection.transaction_status == PG::PQTRANS_ACTIVE
          connection
        end
      end
    end
  end
end
