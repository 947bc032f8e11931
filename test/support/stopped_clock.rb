# frozen_string_literal: true

module Trunkline
  # Time that passes only when the test says so.
  module StoppedClock
    def setup
      super
      Clock.stop
    end

    def teardown
      Clock.start
      super
    end

    private

    # Another caller checks the test's trunk for a stall each second. A thousandth more passes: where the clock passes a power of two, a time less another is
    # rounded.
    def look_for(seconds)
      (seconds + 1).times do |second|
        Clock.pass(1.001) if second.positive?
        @trunk.end_stall
      end
    end
  end
end
