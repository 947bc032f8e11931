# frozen_string_literal: true

module Trunkline
  module Bench
    # The server's processes that serve one application, or one role.
    module Backends
      PRIVATE = /^Private_(?:Clean|Dirty):\s+(\d+) kB/
      private_constant :PRIVATE

      module_function

      # @param server [PostgresServer]
      # @param application [String] application_name of its connections
      # @return [Hash] connections, and memory (MB that they share with no other process; nil where Linux does not tell)
      def of(server, application) = where(server, "application_name = '#{application}'")

      # @param role [String]
      # @return [Hash] as {of}
      def of_role(server, role) = where(server, "usename = '#{role}'")

      # @param condition [String] of pg_stat_activity
      def where(server, condition)
        pids = server.psql("SELECT pid FROM pg_stat_activity WHERE #{condition}").split
        private_memory = pids.map { |pid| kilobytes(pid) }
        { connections: pids.size, memory: (private_memory.sum / 1024.0 unless private_memory.include?(nil)) }
      end

      # @return [Integer, nil] 0 of one that has ended meanwhile
      def kilobytes(pid)
        File.read("/proc/#{pid}/smaps_rollup").scan(PRIVATE).flatten.sum(&:to_i)
      rescue Errno::ENOENT, Errno::ESRCH
        File.exist?("/proc/self/smaps_rollup") ? 0 : nil
      rescue Errno::EACCES
        nil
      end
      private_class_method :kilobytes
    end
  end
end
