# frozen_string_literal: true

require "io/console"
require_relative "top/process_list"
require_relative "top/screen"

module Trunkline
  module CLI
    # Shows what a running process does, over and over.
    class Top
      HOME_AND_CLEAR = "\e[H\e[2J"
      SIZE = [50, 132].freeze # where there is no terminal, or one that has no size, as of a container or a serial line
      private_constant :HOME_AND_CLEAR, :SIZE

      # @param pid [String, nil] of the process; nil: the only one there is
      # @param folder [String] where it has its {StatsSocket}
      # @param interval [Float] seconds from one look to the next
      # @param once [Boolean] whether to show it once and return
      # @raise [ArgumentError] a value that cannot be
      def initialize(pid = nil, folder: StatsSocket.folder, interval: 1.0, once: false)
        raise ArgumentError, "interval must be positive, not #{interval}" unless interval.positive?

        @processes = ProcessList.new(folder)
        @pid = pid
        @interval = interval
        @once = once
      end

      # @param out [IO]
      # @return [void] when it was to be shown once; else it goes on until it is interrupted
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
      end
    end
  end
end
