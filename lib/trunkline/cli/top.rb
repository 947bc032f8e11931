# frozen_string_literal: true

require "io/console"
require_relative "top/process_list"
require_relative "top/screen"

module Trunkline
  module CLI
    # Shows repeatedly what a running process does.
    class Top
      HOME_AND_CLEAR = "\e[H\e[2J"
      SIZE = [50, 132].freeze # without a terminal, or if it has no size, as in a container or on a serial line
      private_constant :HOME_AND_CLEAR, :SIZE

      # @param pid [String, nil] of the process; nil: the only one
      # @param folder [String] of the {StatsSocket}s
      # @param interval [Float] seconds between two updates
      # @param once [Boolean] whether to show it once and return
      # @raise [ArgumentError] an invalid value
      def initialize(pid = nil, folder: StatsSocket.folder, interval: 1.0, once: false)
        raise ArgumentError, "interval must be positive, not #{interval}" unless interval.positive?

        @processes = ProcessList.new(folder)
        @pid = pid
        @interval = interval
        @once = once
      end

      # @param out [IO]
      # @return [void] after one screen if `once`; else it continues until it is interrupted, or no one reads it any more
      # @raise [ProcessList::NotFound] there is no such process, or it has ended
      def show(out)
        pid = @processes.find(@pid)
        before = @processes.fetch(pid)
        loop do
          sleep(@interval)
          now = @processes.fetch(pid)
          draw(out, before, now)
          break if @once

          before = now
        end
      end

      private

      def draw(out, before, now)
        terminal = out.respond_to?(:tty?) && out.tty?
        height, width = terminal && out.winsize.all?(&:positive?) ? out.winsize : SIZE
        out.write(terminal && !@once ? HOME_AND_CLEAR : "", Screen.new(width, height - 1).lines(before, now).join("\n"), "\n")
        out.flush # a pipe would hold it back until there is much of it
      end
    end
  end
end
