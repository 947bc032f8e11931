# frozen_string_literal: true

# What encryption costs: selects by primary key and a whole table over TLS, beside the pg gem with the same certificate,
# and beside the same without encryption.

require_relative "support/bench"
require_relative "support/selects_and_rows"
require_relative "support/servers/tls_server"

module Trunkline
  module Bench
    # The sides are told apart by their names, which are the tables' first column too.
    class TLS < SelectsAndRows
      FIBERS = "Trunkline, 1000 fibers"
      CLEAR_FIBERS = "the same, not encrypted"
      THREADS = "Trunkline, 16 threads"
      PG_THREADS = "pg, 16 threads"
      CALLER = "Trunkline, 1 caller"
      PG_CALLER = "pg, 1 caller"
      TABLE = "Trunkline"
      CLEAR_TABLE = "Trunkline, not encrypted"
      PG_TABLE = "pg"

      def run
        selects = selects(sides)
        rows = rows(tables)
        publish([SelectsTable.of(selects), rows_table(rows)], { selects: selects, rows: rows }, figures: figures(selects, rows))
      end

      private

      def start = TLSServer.start(settings: settings)

      def versions = { **super, "openssl" => OpenSSL::OPENSSL_LIBRARY_VERSION.split[1] }

      def uri = "#{@server.tcp_uri}?sslmode=verify-full&sslrootcert=#{TLSAuthority.shared.root}"

      def clear = "#{@server.tcp_uri}?sslmode=disable"

      def sides
        { PG_THREADS => pg(16, uri: uri), FIBERS => fibers(uri), CLEAR_FIBERS => fibers(clear),
          THREADS => trunkline("thread", 16, 4, uri: uri),
          PG_CALLER => pg(1, uri: uri), CALLER => trunkline("thread", 1, 1, uri: uri) }
      end

      def fibers(uri) = trunkline("fiber", 1000, 4, uri: uri)

      def tables
        { PG_TABLE => peer("pg_rows", uri: uri), TABLE => peer("trunkline_rows", uri: uri), CLEAR_TABLE => peer("trunkline_rows", uri: clear) }
      end

      # @return [Array<Hash>]
      def figures(selects, rows)
        [
          figure("1000 fibers over 4 connections, q/s: pg with 16 threads", selects[FIBERS][:rate] / selects[PG_THREADS][:rate]),
          figure("the same, q/s: not encrypted", selects[FIBERS][:rate] / selects[CLEAR_FIBERS][:rate], ">= 0.9"),
          figure("the same, objects a query more than not encrypted", selects[FIBERS][:objects_each] - selects[CLEAR_FIBERS][:objects_each], "<= 0.1"),
          figure("16 threads over 4 connections, q/s: pg over 16", selects[THREADS][:rate] / selects[PG_THREADS][:rate], ">= 1.2"),
          figure("a single caller, client CPU a query: pg", selects[CALLER][:cpu_each] / selects[PG_CALLER][:cpu_each], "<= 1.0"),
          figure("80,000 rows of typed values, wall: pg", rows[TABLE][:wall] / rows[PG_TABLE][:wall]),
          figure("the same, wall: not encrypted", rows[TABLE][:wall] / rows[CLEAR_TABLE][:wall])
        ]
      end
    end
  end
end

Trunkline::Bench::TLS.main(runs: 3)
