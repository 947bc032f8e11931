# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "packages"
require_relative "servers/postgres_binaries"
require_relative "servers/postgres_server"

module Trunkline
  module Bench
    # A private PostgreSQL that runs under callgrind, which counts the instructions of each of its processes.
    class CountedServer
      COUNTED = %w[valgrind -q --tool=callgrind --trace-children=yes].freeze
      TIMEOUT = 120 # seconds until a process that has ended has written its count
      private_constant :COUNTED, :TIMEOUT

      # @return [PostgresServer]
      attr_reader :server

      # @raise [Packages::Missing] there is no valgrind
      def initialize(**settings)
        Packages.need_program("valgrind")
        @folder = Dir.mktmpdir
        at_exit { FileUtils.rm_rf(@folder) }
        FileUtils.chmod(0o777, @folder) # the server may run as another user
        ENV["TRUNKLINE_POSTGRES"] = programs
        @server = PostgresServer.start(settings: settings)
      end

      # @param pid [Integer] of a server process whose connection was closed
      # @return [Integer] the instructions that it has executed, from the server's start on
      # @raise [RuntimeError] it has not ended
      def instructions(pid)
        deadline = Measure.now + TIMEOUT
        while Measure.now < deadline
          count = File.exist?(path(pid)) && File.read(path(pid))[/^(?:summary|totals): (\d+)/, 1]
          return count.to_i if count

          sleep 0.05
        end
        raise "#{path(pid)} has no count"
      end

      private

      def path(pid) = File.join(@folder, "callgrind.#{pid}")

      # @return [String] a folder of programs: initdb, and the server that is counted
      def programs
        folder = File.join(@folder, "bin")
        Dir.mkdir(folder, 0o755)
        File.symlink(PostgresBinaries.path("initdb"), File.join(folder, "initdb"))
        server = File.join(folder, "postgres")
        File.write(server, "#!/bin/sh\nexec #{COUNTED.join(" ")} --callgrind-out-file=#{@folder}/callgrind.%p #{PostgresBinaries.path("postgres")} \"$@\"\n")
        FileUtils.chmod(0o755, server)
        folder.tap { PostgresBinaries.forget }
      end
    end
  end
end
