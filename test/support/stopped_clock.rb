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
  end
end
