# frozen_string_literal: true

require "pg"
require_relative "backends"
require_relative "data/accounts"
require_relative "fleet_load"
require_relative "forked_process"
require_relative "measure"
require_relative "one_at_a_time"
require_relative "server_cpu"

module Trunkline
  module Bench
    # Processes of which each serves one request at a time, and what they occupy at the server: while they work, and when all of them were idle.
    class ProcessFleet
      # What the server is given.
      SETTINGS = FleetLoad::SETTINGS
      ROLE = "web"
      ROWS = 10_000
      # Seconds without use after which a client or the server may close a connection.
      IDLE = 1
      LOOK = 0.1    # seconds between two looks
      LONGEST = 5.0 # seconds for which connections are waited for to end, beyond IDLE
      IN_SESSION = { options: "-c idle_session_timeout=#{IDLE}s" }.freeze
      # From 14 on a server ends idle sessions itself.
      SIDES = {
        "connections: 1, max_connections: 2" => { connections: 1, max_connections: 2 }, "max_connections: 1" => { max_connections: 1 },
        "fleet: true" => { fleet: true }, "fleet: true, max_connections: 1" => { fleet: true, max_connections: 1 },
        "the same, idle_session_timeout" => { fleet: true, max_connections: 1, **IN_SESSION }, "pg, a connection each" => { library: :pg }
      }.freeze
      private_constant :ROLE, :LOOK, :LONGEST, :IN_SESSION

      # Makes what the processes ask for.
      #
      # @param server [PostgresServer] with {SETTINGS}
      def self.fill(server)
        Accounts.fill(server, ROWS)
        server.psql("CREATE ROLE #{ROLE} LOGIN; GRANT SELECT, UPDATE ON accounts TO #{ROLE}")
      end

      # @param server [PostgresServer] that {fill} was called for
      # @param side [String] one of {SIDES}
      # @param count [Integer] processes
      def initialize(server, side, count)
        @server = server
        options = { library: :trunkline, **SIDES.fetch(side) }
        options = { max_idle: IDLE, **options } if options[:library] == :trunkline
        @processes = Array.new(count) { |number| ForkedProcess.new(OneAtATime, uri: uri, rows: ROWS, first: number * ROWS / count, **options) }
      end

      # The connections are counted while all work: on a slow machine the server would have ended idle ones before they were counted.
      #
      # @param seconds [Numeric] for which all work
      # @return [Hash{Symbol => Object}] connections and memory (MB) at the server half-way; a_second: requests; client_us and server_us: microseconds of
      #   processor a request; errors: what callers were told; left: connections when all were idle; again: the longest wait in seconds of the first
      #   query of each process after that
      def measure(seconds)
        all(:ask_each)
        server_cpu = ServerCpu.seconds(@server.pid)
        occupied = nil
        results = all(:work, seconds) do
          sleep seconds / 2.0
          occupied = Backends.of_role(@server, ROLE)
        end
        server_cpu = ServerCpu.seconds(@server.pid)&.-(server_cpu)
        left = left_after_idling
        again = all(:ask_once)
        { **occupied, **rates(results, seconds, server_cpu), left: left, again: again.map { |one| one[:seconds] }.max,
          errors: results.flat_map { |one| one[:errors] } + again.filter_map { |one| one[:error] } }
      end

      # What one process more is told where these and others have all connections that the server takes.
      #
      # @param freed_after [Numeric, nil] seconds after which a connection ends; nil: none does
      # @return [Hash] as {OneAtATime#ask_once}, for the first of these processes, which must not have asked before
      def first_wait(freed_after: nil)
        others = fill
        @processes.first.begin_call(:ask_once)
        if freed_after
          sleep freed_after
          others.pop.close
        end
        @processes.first.finish_call
      ensure
        others&.each(&:close)
      end

      # Ends all processes, whatever they wait for, and returns when the server has forgotten them.
      def close
        @processes.each(&:close)
        wait_for(0)
      end

      private

      def uri = @server.uri(user: ROLE)

      # @yield meanwhile
      def all(*call)
        @processes.each { |process| process.begin_call(*call) }
        yield if block_given?
        @processes.map(&:finish_call)
      end

      def rates(results, seconds, server_cpu)
        answered = results.sum { |one| one[:answered] }
        micros = [results.sum { |one| one[:cpu] }, server_cpu].map { |cpu| cpu && (cpu / answered * 1_000_000) }
        { a_second: answered / seconds.to_f, client_us: micros.first, server_us: micros.last }
      end

      # @return [Integer] connections that are there still
      def left_after_idling
        sleep IDLE
        wait_for(0)
      end

      # @return [Integer] connections, at the latest after LONGEST seconds
      def wait_for(connections)
        start = Measure.now
        sleep LOOK while (found = Backends.of_role(@server, ROLE)[:connections]) > connections && Measure.now - start < LONGEST
        found
      end

      def fill
        others = []
        loop { others << PG.connect(uri) }
      rescue PG::ConnectionBad
        others
      end
    end
  end
end
