# frozen_string_literal: true

require "tty-progressbar"

module Trunkline
  module Bench
    # A bar on the terminal while something takes its time, gone when all is done; silent where standard error is no terminal.
    class Progress
      FORMAT = ":what [:bar] :percent, :eta to go"
      WIDTH = 40
      private_constant :FORMAT, :WIDTH

      # @param total [Integer] the sum of all steps' weights
      def initialize(total)
        return unless $stderr.tty?

        @bar = TTY::ProgressBar.new(FORMAT, total: total, width: WIDTH, output: $stderr, clear: true)
      end

      # @param weight [Integer] how much of the total is done now
      # @param what [String] what comes next, or was just done
      def advance(weight, what)
        @bar&.advance(weight, what: what)
      end
    end
  end
end
