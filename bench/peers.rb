# frozen_string_literal: true

# The same selects by primary key through every client that can be installed here, in Ruby and in other languages. The others are left out, with a sentence that says
# what they need.

require_relative "support/bench"
require_relative "support/other_runtimes"
require_relative "support/selects_and_rows"

module Trunkline
  module Bench
    # A thousand callers over four connections where the client lets them share or take turns; else the number of threads or of
    # connections that suits it best.
    class OtherClients < SelectsAndRows
      OURS = "Trunkline, 1000 fibers"
      NEWER = "3.3"
      OURS_NEWER = "Trunkline on Ruby #{NEWER}, 1000 fibers"
      PG_PIPELINE = "pg_pipeline on Ruby #{NEWER}, 1000 fibers"
      PIPELINES = "pg, pipelines of 100 by hand, no callers"
      PGBENCH = "pgbench 17, pipelines of 100, a Sync each"
      PG_PIPELINE_VERSION = "0.3.4"
      TOKIO = "tokio-postgres, 1 thread, 1000 tasks"
      CRATES = { "tokio" => ["rt-multi-thread"], "tokio-postgres" => [], "serde_json" => [], "libc" => [] }.freeze
      SEQUEL = { adapter: "postgres", kind: "thread", work: "prepared", callers: 16, connections: 16 }.freeze
      private_constant :PG_PIPELINE_VERSION, :CRATES, :SEQUEL

      def initialize(options)
        super
        @runtimes = OtherRuntimes.new
      end

      def run
        selects = selects(available(ruby.merge(others)))
        publish([SelectsTable.of(selects)], { selects: selects }, figures: figures(selects))
      end

      private

      def versions = { **super, **sequel, "pg_pipeline" => PG_PIPELINE_VERSION, **@runtimes.versions }

      def sequel = %w[sequel sequel_pg].to_h { |name| [name, Gem.loaded_specs.fetch(name).version.to_s] }

      # @return [Hash{String => Proc}] each makes a side
      def ruby
        {
          OURS => -> { trunkline("fiber", 1000, 4) },
          "pg, 16 threads" => -> { pg(16) },
          "pg, 1000 fibers in turn" => -> { asker("pg_fiber_selects", callers: 1000, connections: 8) },
          PIPELINES => -> { asker("pg_pipelines_selects", connections: 4, depth: 100) },
          "sequel_pg, 16 threads" => -> { asker("sequel_selects", **SEQUEL) },
          OURS_NEWER => -> { newer("trunkline_fiber_selects") },
          PG_PIPELINE => -> { newer("pg_pipeline_selects", version: PG_PIPELINE_VERSION) },
          PGBENCH => -> { pgbench(depth: 100, syncs: true, program: @runtimes.newer_pgbench(NEWER, @server.socket_directory)) }
        }
      end

      def others
        {
          "postgres.js, 1000 promises" => -> { node("postgres_js_selects", "postgres", "3.4.9", 4) },
          "node-postgres, 1000 promises in turn" => -> { node("node_postgres_selects", "pg", "8.23.1", 4) },
          "asyncpg, 1000 tasks in turn" => -> { python("asyncpg_selects", 4, "python3-asyncpg") },
          "psycopg, 1000 tasks in turn" => -> { python("psycopg_selects", 4, "python3-psycopg", "python3-psycopg-pool") },
          "pgx, 1000 goroutines in turn" => -> { go("pgx_selects", 4, "golang-github-jackc-pgx-v4-dev") },
          TOKIO => -> { rust("tokio_postgres_selects", 4, threads: 1) },
          "tokio-postgres, 2 threads, 1000 tasks" => -> { rust("tokio_postgres_selects", 4, threads: 2) }
        }
      end

      def newer(peer, **options) = foreign(peer, @runtimes.ruby(peer, NEWER, @server.socket_directory), 4, **options)

      def node(peer, package, version, connections) = foreign(peer, @runtimes.node("#{peer}.js", package, version), connections)

      def python(peer, connections, *packages) = foreign(peer, @runtimes.python("#{peer}.py", *packages), connections)

      def go(peer, connections, package) = foreign(peer, @runtimes.go("#{peer}.go", package), connections)

      def rust(peer, connections, **options) = foreign(peer, @runtimes.rust("#{peer}.rs", CRATES), connections, **options)

      def foreign(peer, program, connections, **options)
        asker(peer, program: program, callers: 1000, connections: connections, **options)
      end

      def available(sides)
        sides.filter_map do |name, make|
          [name, make.call]
        rescue Packages::Missing => missing
          warn "#{name} is left out: #{missing.message}"
        end.to_h
      end

      # Rust, compiled, on one thread as Ruby is.
      def against_tokio(selects)
        return [] unless selects[TOKIO]

        [figure("client CPU a query: #{TOKIO}", selects[OURS][:cpu_each] / selects[TOKIO][:cpu_each], "<= 1.7"),
         figure("the same, q/s", selects[OURS][:rate] / selects[TOKIO][:rate])]
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(selects)
        rates = selects.transform_values { |result| result[:rate] }
        best = rates.except(OURS, OURS_NEWER, PIPELINES, PGBENCH).reject { |side,| side.start_with?("tokio") }.max_by(&:last)
        [
          *against_tokio(selects),
          (figure("q/s: pg_pipeline, both on Ruby #{NEWER}", rates[OURS_NEWER] / rates[PG_PIPELINE], ">= 1.6") if rates[PG_PIPELINE]),
          figure("q/s: the best of the others without tokio-postgres, #{best.first}", rates[OURS] / best.last, ">= 1.5"),
          (figure("q/s: #{PGBENCH}", rates[OURS] / rates[PGBENCH], ">= 0.75") if rates[PGBENCH]),
          figure("q/s: pipelines by hand, a Sync for each 100", rates[OURS] / rates[PIPELINES])
        ].compact
      end
    end
  end
end

Trunkline::Bench::OtherClients.main(runs: 3)
