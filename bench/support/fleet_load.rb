# frozen_string_literal: true

require "pg"
require_relative "fleet_member"
require_relative "forked_process"
require_relative "measure"

module Trunkline
  module Bench
    # Processes that ask one server, all at once, and another program that connects to it meanwhile.
    class FleetLoad
      # What the server is given: fewer connections than the processes may open, as PostgreSQL has it by itself.
      SETTINGS = { "max_connections" => 100, "superuser_reserved_connections" => 3, "max_wal_senders" => 0 }.freeze
      NAME = "fleet"
      ROLE = "web"
      SETTLED = 2.0   # seconds after which no caller is to hear that the server is full
      KNOCK = 0.25    # seconds between two connections of the other program
      LOOK = 0.1      # seconds between two looks
      private_constant :ROLE, :KNOCK, :LOOK

      # @param server [PostgresServer] with {SETTINGS}
      # @param longest [Numeric] seconds for which processes are waited for
      # @param options of each process: see {FleetMember}
      def initialize(server, longest: 60, **options)
        server.psql("DO $$ BEGIN CREATE ROLE #{ROLE} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$")
        @server = server
        @uri = server.uri(user: ROLE)
        @longest = longest
        @options = options
        @members = []
        @finished = []
      end

      # @return [String] of a role that has no connections reserved
      attr_reader :uri

      # @return [Integer] processes that there are
      def size = @members.size

      # More processes, which begin together.
      #
      # @param count [Integer]
      def add(count)
        added = Array.new(count) { ForkedProcess.new(FleetMember, uri: @uri, application_name: NAME, **@options) }
        @members.concat(added)
        ask(added, :begin)
      end

      # Ends as many, the oldest first.
      #
      # @param count [Integer]
      def remove(count)
        leaving = @members.shift(count)
        @finished.concat(ask(leaving, :finish))
      ensure
        leaving&.each(&:close)
      end

      # Replaces all processes, one after the other, each when the next one has answered.
      #
      # @return [Float] the longest time in seconds that a caller has waited meanwhile
      def restart
        look
        longest = Array.new(size) do
          add(1)
          wait_until { ask(@members.last(1), :look).first[:answered].positive? }
          remove(1)
          @finished.last[:longest]
        end
        [*longest, *look.map { |seen| seen[:longest] }].max
      end

      # @return [Array<Hash>] see {FleetMember#look}
      def look = ask(@members, :look)

      # @return [Array<Integer>] connections of each process
      def open = look.map { |seen| seen[:open] }

      # @param seconds [Numeric]
      # @return [Hash{Symbol => Object}] answered: requests by process, in order; open: connections of all at the end; asked: how often another program has
      #   connected, and refused: how often it was refused, from {SETTLED} on
      def measure(seconds)
        look
        start = Measure.now
        outcomes = []
        while Measure.now - start < seconds
          sleep KNOCK
          outcomes << knock if Measure.now - start > SETTLED
        end
        seen = look
        { answered: seen.map { |one| one[:answered] }.sort, open: seen.sum { |one| one[:open] }, asked: outcomes.size, refused: outcomes.count(false) }
      end

      # @param share [Integer] of each
      # @return [Float] seconds until all have so many connections, or one less, as one is replaced now and then
      # @raise [RuntimeError] they do not come to that
      def await_shares(share)
        start = Measure.now
        wait_until { open.all?((share - 1)..share) }
        Measure.now - start
      end

      # @return [Array<String>] what callers of all processes, ended ones too, have got for errors
      def all_errors = errors_after(0).flatten

      # @return [Array<String>] the same, but for the first {SETTLED} seconds of each
      def errors = errors_after(SETTLED).flatten

      # @return [Integer] processes whose callers have got any then
      def failing = errors_after(SETTLED).count(&:any?)

      # Ends all at once, whatever their callers wait for.
      def close = @members.each(&:close)

      private

      # All at once.
      def ask(members, method)
        members.each { |member| member.begin_call(method) }
        members.map(&:finish_call)
      end

      # @return [Array<Array<String>>] of each process
      def errors_after(seconds) = [*@finished, *look].map { |seen| seen[:errors].select { |at,| at > seconds }.map(&:last) }

      def wait_until
        start = Measure.now
        until yield
          raise "the processes have #{open.inspect} connections after #{@longest} s" if Measure.now - start > @longest

          sleep LOOK
        end
      end

      # @return [Boolean] whether the server lets another program in, which is no superuser
      def knock
        PG.connect(@uri).close
        true
      rescue PG::ConnectionBad
        false
      end
    end
  end
end
