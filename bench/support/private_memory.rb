# frozen_string_literal: true

module Trunkline
  module Bench
    # Memory that a program shares with no other one; Linux only.
    module PrivateMemory
      PRIVATE = /^Private_(?:Clean|Dirty):\s+(\d+) kB/
      GROUP = 2 # field of /proc/PID/stat after the name
      private_constant :PRIVATE, :GROUP

      module_function

      # @param leader [Integer] first process of a process group, as a {WebServer} is
      # @return [Float, nil] MB of all its processes; nil where Linux does not tell
      def of_group(leader)
        return unless File.exist?("/proc/self/smaps_rollup")

        Dir["/proc/[0-9]*"].sum { |folder| group(folder) == leader ? kilobytes(folder) : 0 } / 1024.0
      end

      def group(folder)
        File.read("#{folder}/stat").rpartition(")").last.split[GROUP].to_i
      rescue Errno::ENOENT, Errno::ESRCH
        nil
      end

      def kilobytes(folder)
        File.read("#{folder}/smaps_rollup").scan(PRIVATE).flatten.sum(&:to_i)
      rescue Errno::ENOENT, Errno::ESRCH, Errno::EACCES
        0
      end
      private_class_method :group, :kilobytes
    end
  end
end
