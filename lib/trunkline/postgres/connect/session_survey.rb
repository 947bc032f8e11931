# frozen_string_literal: true

require_relative "../../trunk/lock"
require_relative "startup"

module Trunkline
  module Postgres
    # The queries that each new session of a client runs before it is used: for its server process. A pooler reports another process ID at startup,
    # and may lead each transaction to yet another process. Behind a pooler, the survey also checks, once for each host, whether prepared statements
    # are kept. For a fleet, it counts the connections that this process may have.
    class SessionSurvey # :nodoc:
      # pooled:: [Boolean] whether there is a pooler that is not configured to keep sessions
      # keeps_statements:: [Boolean] whether a prepared statement can be used again
      # share:: [Fleet::Share, nil] of the server's connections; nil: they are not divided
      Findings = Struct.new(:pooled, :keeps_statements, :share)
      DIRECT = Findings.new(false, true).freeze
      PROCESS = "SELECT pg_catalog.pg_backend_pid()"
      NAME = "trunkline_survey"
      # A pooler that keeps statements renames them: a statement checks for itself, in one flight, so that the same server session executes all of it.
      STATEMENT = "SELECT EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE name OPERATOR(pg_catalog.=) '#{NAME}')"
      private_constant :PROCESS, :NAME, :STATEMENT

      # @return [String] the flight of {STATEMENT}: Parse, Bind, Execute, Close, Sync
      def self.prepared_message
        [["P", "#{NAME}\0#{STATEMENT}\0\0\0"], ["B", "\0#{NAME}\0\0\0\0\0\0\0"], ["E", "\0\0\0\0\0"], ["C", "S#{NAME}\0"], ["S", ""]]
          .map { |type, body| [type, body.bytesize + 4, body].pack("aNa*") }.join.freeze
      end

      # @param mode [Symbol, nil] configured kind of pooler: see {Config#pooler}
      # @param fleet [Fleet, nil] whose processes divide the server's connections
      def initialize(mode, fleet = nil)
        @mode = mode
        @fleet = fleet
        @lock = Lock.new
        forget
      end

      # @return [Boolean, nil] whether the last session was behind a pooler; nil: there was none yet
      attr_reader :pooled

      # Forgets the findings about poolers.
      #
      # @return [void]
      def forget
        @lock.synchronize { @keeping = {} }
        @pooled = nil
      end

      # @return [String] the queries, to be sent with others in one flight
      def message
        return Startup::EarlyQuery.message("#{PROCESS}, #{@fleet.counts}") if @fleet

        @mode == :session ? "" : MESSAGE
      end

      # @param session [Hash{String => String}] settings of a new session
      # @return [Hash{String => String}] settings of the next one
      def named(session) = @fleet ? @fleet.named(session) : session

      # @param io [HandshakeIO] in which {#message} was sent
      # @param bytes [String] of the answer that were read before
      # @param reported [Integer, nil] the process ID that was reported at startup
      # @param server [String] label of the host
      # @return [Array(Findings, String)] and the bytes that follow the answer
      # @raise [ConnectionError, ProtocolError]
      def conduct(io, bytes, reported:, server:)
        return [DIRECT, bytes] if @mode == :session && !@fleet

        (process, *values), leftover = answer(io, bytes)
        @pooled = @mode == :transaction || (@mode.nil? && !process.nil? && process.to_i != reported)
        return [Findings.new(false, true, share(values)), leftover] unless @pooled

        keeps, leftover = kept(io, leftover, server)
        [Findings.new(true, keeps), leftover]
      end

      private

      def share(values) = (@fleet.share(values) if @fleet && !values.empty?)

      def kept(io, bytes, server)
        known = @lock.synchronize { @keeping[server] }
        return [known, bytes] unless known.nil?

        io.write(PREPARED)
        (own_name,), leftover = answer(io, bytes)
        keeps = own_name == "f"
        @lock.synchronize { @keeping[server] = keeps }
        [keeps, leftover]
      end

      # @return [Array(Array<String>, String)] the values, or nil if the server does not report them, and the bytes that follow
      def answer(io, bytes)
        query = Startup::EarlyQuery.new("the query for the server's process ID", bytes)
        query.receive(io.read) until query.answered?
        [query.row, query.leftover]
      end

      MESSAGE = Startup::EarlyQuery.message(PROCESS).freeze
      PREPARED = prepared_message
      private_constant :MESSAGE, :PREPARED
    end
    private_constant :SessionSurvey
  end
end
