# frozen_string_literal: true

module Trunkline
  module Bench
    module Peers
      # How queries come: at their times, whether callers are still busy or not; or again and again.
      module BacklogLoad
        private

        # @param arrivals [Array<Array(Float, Numeric)>] when each comes, and a long one's parameter; 0: a short one
        # @return [Hash{String => Array<Float>}] seconds that each took from the time when it should have come
        def offered(arrivals, task)
          took = { "short" => [], "long" => [] }
          start = Measure.now
          tasks = arrivals.map do |at, much|
            pause = start + at - Measure.now
            sleep(pause) if pause > 0.0005
            task.async { much.zero? ? timed(took["short"], start + at) { short(took["short"].size) } : timed(took["long"], start + at) { yield much } }
          end
          tasks.each(&:wait)
          took
        end

        def timed(times, due)
          yield
          times << (Measure.now - due)
        end

        # In parts of the time, so that the warm-up shows.
        def sleeping(callers, seconds, &sleep)
          start = Measure.now
          parts = Array.new(PARTS, 0)
          Array.new(callers) { Async { sleep_on(start, seconds, parts, &sleep) } }.each(&:wait)
          rates = parts.map { |count| count / (seconds / PARTS.to_f) }
          best = rates.last(PARTS / 2).sum / (PARTS / 2)
          { rate: best, warm_up: rates.index { |rate| rate >= best * 0.9 } * seconds / PARTS.to_f }
        end

        PARTS = 40
        private_constant :PARTS

        def sleep_on(start, seconds, parts)
          while (passed = Measure.now - start) < seconds
            yield
            parts[[(passed / seconds * PARTS).to_i, PARTS - 1].min] += 1
          end
        end
      end
    end
  end
end
