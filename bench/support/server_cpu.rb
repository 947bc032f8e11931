# frozen_string_literal: true

require "etc"

module Trunkline
  module Bench
    # Processor time of a server and of all processes it has started, from /proc; Linux only.
    module ServerCpu
      TICKS = Etc.sysconf(Etc::SC_CLK_TCK).to_f
      # Fields of /proc/PID/stat after the name: parent, own user and system ticks, those of children that have ended.
      PARENT = 1
      OWN = 11..12
      ENDED = 13..14
      WITH_ENDED = 11..14
      private_constant :TICKS, :PARENT, :OWN, :ENDED, :WITH_ENDED

      module_function

      # @param pid [Integer] of the server's first process
      # @return [Float, nil] seconds so far; nil where there is no /proc
      def seconds(pid)
        server = fields(pid) or return
        living = children(pid).sum { |child| ticks(child, OWN) }
        return seconds(pid) if fields(pid)&.slice(ENDED) != server[ENDED] # one ended meanwhile, and may be missing

        (ticks(server, WITH_ENDED) + living) / TICKS
      end

      def children(pid)
        Dir["/proc/[0-9]*"].filter_map { |folder| fields(File.basename(folder)) }.select { |child| child[PARENT].to_i == pid }
      end

      def fields(pid)
        File.read("/proc/#{pid}/stat").rpartition(")").last.split
      rescue Errno::ENOENT, Errno::ESRCH
        nil
      end

      def ticks(fields, range) = fields[range].sum(&:to_i)
      private_class_method :children, :fields, :ticks
    end
  end
end
