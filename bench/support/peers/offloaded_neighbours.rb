# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "../data/accounts"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Callers in fibers with one short query after the other, while blocks run on worker threads beside their loop.
      class OffloadedNeighbours
        CALLERS = 16
        PAUSE = 0.005 # seconds between a caller's questions, so that the processor is not what they wait for
        WORK = {
          "sleep" => -> { Kernel.system("sleep", "0.2") },
          "ruby" => -> { (1..2_000_000).sum { |number| number & 1 } }
        }.freeze
        private_constant :CALLERS, :PAUSE, :WORK

        def initialize(uri:, rows:)
          @rows = rows
          @db = Trunkline.postgres(uri, connections: 4, max_connections: 5)
        end

        # @param work [String, nil] what the blocks do; nil: there are none
        # @param blocks [Integer] that run at once, each begun anew as soon as it has ended
        # @param seconds [Numeric]
        # @return [Hash] p50 and p99 (milliseconds) of the questions, blocks a second
        def measure(work:, blocks:, seconds:)
          times = []
          done = 0
          Sync do |task|
            finish = Measure.now + seconds
            begun = Array.new(work ? blocks : 0) { task.async { offload(WORK.fetch(work), finish) { done += 1 } } }
            Array.new(CALLERS) { |caller| task.async { ask(caller, finish, times) } }.concat(begun).each(&:wait)
          end
          times.sort!
          { p50: times[times.size / 2] * 1000, p99: times[times.size * 99 / 100] * 1000, blocks: done / seconds.to_f }
        end

        # @return [Float] milliseconds of one such block alone, without a loop
        def alone(work:) = Measure.run(&WORK.fetch(work))[:wall] * 1000

        private

        def offload(work, finish)
          while Measure.now < finish
            Trunkline.offload(&work)
            yield
          end
        end

        def ask(caller, finish, times)
          number = caller
          while (start = Measure.now) < finish
            @db.value(Accounts::SELECT, Accounts.id(number += CALLERS, @rows))
            times << (Measure.now - start)
            sleep(PAUSE)
          end
        end
      end
    end
  end
end
