# frozen_string_literal: true

require "etc"

module Trunkline
  module Bench
    # What a result was measured on; what Linux tells, and elsewhere the rest.
    module Machine
      module_function

      # @return [String] one line
      def line = [processor, "#{Etc.nprocessors} cores", memory, Etc.uname.values_at(:sysname, :release, :machine).join(" ")].compact.join(", ")

      def processor = read("/proc/cpuinfo")&.slice(/^model name\s*: (.+)$/, 1)

      def memory = read("/proc/meminfo")&.slice(/^MemTotal:\s+(\d+)/, 1)&.then { |kilobytes| "#{(kilobytes.to_i / 1024.0**2).round} GiB" }

      def read(path) = (File.read(path) if File.exist?(path))
      private_class_method :processor, :memory, :read
    end
  end
end
