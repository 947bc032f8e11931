# frozen_string_literal: true

# Selects by primary key of 1000 fibers over 4 connections, directly and through PgBouncer in transaction mode with 4 server sessions: the system's, and
# on Debian, as root, 1.24, in a root that is made on first use. Where its version can, it keeps prepared statements. And how each works for
# programs that need a session of the server.

require_relative "support/bench"
require_relative "support/pooler_truth"
require_relative "support/selects_and_rows"
require_relative "../rakelib/debian_root"
require_relative "../test/support/pgbouncer"

module Trunkline
  module Bench
    # All sides in a process of their own.
    class Pooled < SelectsAndRows
      FIBERS = 1000
      CONNECTIONS = 4
      KEPT = 200 # statements of each client, as is the default from 1.24 on
      CLIENTS = 500
      DIRECT = "directly"
      private_constant :FIBERS, :CONNECTIONS, :KEPT, :CLIENTS, :DIRECT

      def run
        @programs = [PgBouncer::PROGRAM, newer].compact.to_h { |program| ["PgBouncer #{PgBouncer.version(program)}", program] }
        selects = through_poolers { |uris| selects(uris.transform_values { |uri| fibers(uri) }) }
        truth = through_poolers { |uris| uris.transform_values { |uri| PoolerTruth.of(@server, uri) } }
        publish([SelectsTable.of(selects), truth_table(truth)], { selects: selects, truth: truth }, figures: figures(selects, truth))
      end

      private

      # @return [String, nil] another PgBouncer; nil: it cannot be had here, or one was named
      def newer
        return if PgBouncer::GIVEN || DebianRoot.missing

        root = DebianRoot.new("trixie", 17).tap(&:make)
        root.install("pgbouncer")
        root.script_outside("usr/sbin/pgbouncer")
      end

      # @yieldparam uris [Hash{String => String}] by side
      def through_poolers(programs = @programs.to_a, uris = { DIRECT => @server.tcp_uri }, &block)
        (name, program), *others = programs
        return block.call(uris) unless name

        PgBouncer.open(@server, pool: CONNECTIONS, kept: KEPT, clients: CLIENTS, program: program) do |pooler|
          through_poolers(others, { **uris, name => pooler.uri }, &block)
        end
      end

      def versions = { **super, "pgbouncer" => @programs.values.map { |program| PgBouncer.version(program) }.join(" and ") }

      def fibers(uri) = trunkline("fiber", FIBERS, CONNECTIONS, uri: uri)

      def truth_table(truth)
        rows = PoolerTruth::ROWS.keys.map { |row| [row, *truth.values.map { |outcomes| outcomes.fetch(row) }] }
        Table.new(["", *truth.keys], rows, title: "What is right, and what is an error that says what to set")
      end

      def figures(selects, truth)
        ratios = @programs.map do |name, program|
          figure("#{name}, q/s: directly", selects[name][:rate] / selects[DIRECT][:rate], PgBouncer.keeps_statements?(program) ? ">= 0.55" : ">= 0.3")
        end
        [*ratios, figure("wrong in silence", truth.values.sum { |outcomes| outcomes.values.grep(/\A#{PoolerTruth::WRONG}/).size }, "0")]
      end
    end
  end
end

Trunkline::Bench::Pooled.main(runs: 3)
