# frozen_string_literal: true

require "json"
require "socket"
require "trunkline"

module Trunkline
  module CLI
    class Top
      # The processes that have opened a {StatsSocket}, and their snapshots.
      class ProcessList # :nodoc:
        # There is no such process, or it does not answer.
        class NotFound < StandardError; end

        # @param folder [String]
        # @param timeout [Float] seconds that an answer may take
        def initialize(folder, timeout: 3.0)
          @folder = folder
          @timeout = timeout
        end

        # @param pid [String, nil] nil: the only one
        # @return [Integer]
        # @raise [NotFound]
        # @raise [ArgumentError] it is no number
        def find(pid)
          return Integer(pid, 10, exception: false) || raise(ArgumentError, "PID is the number of a process, not #{pid}") if pid

          alive = pids.select { |each| answers?(each) }
          return alive.first if alive.one?
          raise NotFound, "several processes are there, say which: #{alive.sort.join(", ")}" if alive.any?

          raise NotFound, "no process of this user has opened a Trunkline::StatsSocket in #{@folder}"
        end

        # @param pid [Integer]
        # @return [Hash{Symbol => Object}] the result of {Snapshot.take} there
        # @raise [NotFound]
        def fetch(pid)
          socket = ::UNIXSocket.new(path(pid))
          JSON.parse(read(socket, pid), symbolize_names: true)
        rescue SystemCallError, JSON::ParserError
          raise NotFound, "process #{pid} has ended, or has not opened a Trunkline::StatsSocket in #{@folder}"
        ensure
          socket&.close
        end

        private

        def pids = Dir.glob(File.join(@folder, "*.sock")).map { |path| File.basename(path, ".sock").to_i }
        def path(pid) = File.join(@folder, "#{pid}.sock")

        # A killed process leaves its socket.
        def answers?(pid)
          ::UNIXSocket.new(path(pid)).close
          true
        rescue Errno::ECONNREFUSED
          File.delete(path(pid))
          false
        rescue Errno::ENOENT
          false
        end

        def read(socket, pid)
          answer = +""
          loop do
            socket.wait_readable(@timeout) or raise NotFound, "process #{pid} does not answer: it is stopped, or too busy"
            answer << socket.readpartial(1 << 16)
          end
        rescue EOFError
          answer
        end
      end
    end
  end
end
