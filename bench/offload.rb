# frozen_string_literal: true

# What blocks on worker threads do to callers of short queries in the same event loop: blocks that wait outside of
# Ruby, and blocks of pure Ruby work, which share the interpreter's lock with the loop.

require_relative "support/bench"

module Trunkline
  module Bench
    # One row for each kind and number of blocks.
    class Offload < AccountsExperiment
      SECONDS = 3
      CASES = [[nil, 0], ["sleep", 1], ["sleep", 4], ["ruby", 1], ["ruby", 4]].freeze
      NAMES = { nil => "", "sleep" => "waiting for another process", "ruby" => "pure Ruby" }.freeze

      def run
        peer = asker("offloaded_neighbours")
        alone = NAMES.keys.compact.to_h { |work| [work, peer.call(:alone, work: work)] }
        results = CASES.map { |work, blocks| { work: work, at_once: blocks, **measure(peer, work, blocks) } }
        publish([table(results, alone)], { alone: alone, results: results }, figures: figures(results))
      ensure
        peer&.close
      end

      private

      def measure(peer, work, blocks)
        Measure.medians(Array.new(@options.runs) { peer.call(:measure, work: work, blocks: blocks, seconds: SECONDS) }, %i[p50 p99 blocks])
      end

      def table(results, alone)
        rows = results.map do |one|
          ["#{one[:at_once]} #{NAMES[one[:work]]}".strip, format("%.2f", one[:p50]), format("%.2f", one[:p99]), one[:blocks].round(1), alone[one[:work]]&.round]
        end
        Table.new(["blocks", "a query's p50 ms", "p99 ms", "blocks/s", "one alone ms"], rows,
                  title: "16 callers with short queries beside blocks on worker threads", drawn: "p99 ms")
      end

      def figures(results)
        quiet, waiting = results.values_at(0, 2)
        [figure("four waiting blocks: added to the queries' p99, ms", waiting[:p99] - quiet[:p99], "<= 15")]
      end
    end
  end
end

Trunkline::Bench::Offload.main(runs: 3)
