# frozen_string_literal: true

# A shop in Rails on Puma, whose database is started again under requests: how many of these fail, with which errors, and for how long, on the stock adapter, directly
# and through PgBouncer, and on Trunkline's.

require_relative "support/bench"
require_relative "support/restarted_requests"
require_relative "support/shop_sides"
require_relative "support/servers/tls_server"

module Trunkline
  module Bench
    # Each side is started anew, and meets as many restarts as there are runs.
    class Restarts < Experiment
      SERVER = "Puma 5 threads"
      SIDES = ["pg", "pg, PgBouncer", "Trunkline", ShopSides::WAITING].freeze
      AWAY = 1.0 # seconds for which there is no server
      HEADERS = ["adapter", "requests", "failed", "of these, begun when the server was back", "s without an answered request", "s from the server's return", "longest request s", "errors"].freeze
      private_constant :SERVER, :SIDES, :AWAY, :HEADERS

      # @param options [Options]
      def initialize(options)
        super
        @sides = ShopSides.new(@server)
      end

      def run
        sides = @sides.each(delay: nil, servers: [SERVER], adapters: SIDES) { |name, web| all(name, web) }.transform_keys { |name| name.delete_prefix("#{SERVER}, ") }
        publish([table(sides)], { sides: sides }, figures: figures(sides))
      end

      private

      def start = TLSServer.start(settings: { "max_connections" => "100" })

      def all(name, web)
        runs = Array.new(@options.runs) do |number|
          warn "#{name}, #{number + 1}"
          restarted(web)
        end
        { **%i[requests failed later].to_h { |key| [key, runs.sum { |run| run[key] }] }, **%i[gap back longest].to_h { |key| [key, Measure.median(runs.map { |run| run[key] })] },
          errors: runs.map { |run| run[:errors] }.reduce { |one, other| one.merge(other) { |_, count, more| count + more } } }
      end

      # The server's own way of a restart: sessions are ended, and it stops when they are.
      def restarted(web)
        load = RestartedRequests.new(web, "/products/17")
        load.await_answers
        stopped = Measure.now
        @server.stop
        sleep AWAY
        @server.start(port: @server.port)
        back = Measure.now
        load.await_answers
        load.finish(stopped, back)
      end

      def table(sides)
        rows = sides.map do |name, one|
          [name, *one.values_at(:requests, :failed, :later), *one.values_at(:gap, :back, :longest).map { |seconds| seconds.round(2) }, one[:errors].map { |error, number| "#{number} #{error}" }.join(", ")]
        end
        Table.new(HEADERS, rows, title: "#{RestartedRequests::USERS} users, the server away for #{AWAY.round} s, #{@options.runs} restarts")
      end

      def figures(sides)
        ours = sides.select { |name, _| name.start_with?("Trunkline") }
        [figure("Trunkline: failed requests that began when the server was back", ours.values.sum { |one| one[:later] }, "0"),
         figure("failover_wait: failed requests a restart, of #{RestartedRequests::USERS} users", sides.fetch(ShopSides::WAITING)[:failed].fdiv(@options.runs), "<= #{RestartedRequests::USERS}"),
         figure("Trunkline: s from the server's return to an answered request", ours.values.map { |one| one[:back] }.max),
         figure("the same, pg", sides.fetch("pg")[:back])]
      end
    end
  end
end

Trunkline::Bench::Restarts.main(runs: 3)
