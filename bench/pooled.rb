# frozen_string_literal: true

# Selects by primary key of 1000 fibers over 4 connections, directly and through a PgBouncer in transaction mode with 4 server sessions. Where its version
# can, it keeps prepared statements. TRUNKLINE_PGBOUNCER names another program than the system's.

require_relative "support/bench"
require_relative "support/selects_and_rows"
require_relative "../test/support/pgbouncer"

module Trunkline
  module Bench
    # Both sides in a process of their own.
    class Pooled < SelectsAndRows
      FIBERS = 1000
      CONNECTIONS = 4
      KEPT = 200 # statements of each client, as is the default from 1.24 on
      DIRECT = "directly"
      private_constant :FIBERS, :CONNECTIONS, :KEPT, :DIRECT

      def run
        PgBouncer.open(@server, pool: CONNECTIONS, kept: KEPT) do |pooler|
          selects = selects({ DIRECT => fibers(@server.tcp_uri), pooled => fibers(pooler.uri) })
          publish([SelectsTable.of(selects)], { selects: selects }, figures: [figure_of(selects)])
        end
      end

      private

      def versions = { **super, "pgbouncer" => PgBouncer.version.to_s }

      def pooled = "PgBouncer #{PgBouncer.version}"

      def fibers(uri) = trunkline("fiber", FIBERS, CONNECTIONS, uri: uri)

      def figure_of(selects)
        figure("#{pooled}, q/s: directly", selects[pooled][:rate] / selects[DIRECT][:rate], PgBouncer.keeps_statements? ? ">= 0.55" : ">= 0.3")
      end
    end
  end
end

Trunkline::Bench::Pooled.main(runs: 3)
