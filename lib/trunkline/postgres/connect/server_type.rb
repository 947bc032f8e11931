# frozen_string_literal: true

require_relative "../../errors"
require_relative "startup"

module Trunkline
  module Postgres
    # Whether a new session's server matches target_session_attrs. Since PostgreSQL 14, servers report it at startup; other servers (and some poolers)
    # are queried. Without I/O.
    class ServerType
      QUERIES = { "in_hot_standby" => "SELECT pg_catalog.pg_is_in_recovery()",
                    "transaction_read_only" => "SHOW transaction_read_only" }.freeze

      # The error messages for servers of the opposite kind.
      MISMATCHES = {
        "read-write" => "its sessions are read-only", "read-only" => "its sessions are not read-only",
        "primary" => "it is a standby", "standby" => "it is not a standby"
      }.freeze
      private_constant :QUERIES, :MISMATCHES

      # @param wanted [String] any, read-write, read-only, primary or standby
      # @param startup [Startup] a completed handshake
      def initialize(wanted, startup)
        @wanted = wanted
        @answers = startup.parameters.dup
        @before = startup.leftover
        @query = nil
      end

      # @return [String, nil] message to send; nil: the answer is known
      def query
        return if known?

        sql = QUERIES.fetch(subject)
        @query = Startup::EarlyQuery.new(sql, @before)
        Startup::EarlyQuery.message(sql)
      end

      # @return [Boolean] whether the query is answered
      def answered? = @query.nil? || @query.answered?

      # @param bytes [String] what the server sent
      # @raise [UnsuitableServer] it does not answer the query
      # @raise [ProtocolError]
      def receive(bytes)
        @query.receive(bytes)
        raise UnsuitableServer, "it does not report whether it matches target_session_attrs: #{error_message}" if @query.error

        @answers[subject] = @query.row.first if @query.row
      end

      # A pooler reports what was true when its own session began: since then the server may have been promoted.
      #
      # @param identity [ServerIdentity, nil] as the server itself reports it; nil: not reported
      # @param leftover [String] bytes that follow
      # @return [void]
      def learn(identity, leftover = self.leftover)
        @query = nil
        @before = leftover
        @answers["in_hot_standby"] = identity.recovery ? "on" : "off" if identity
      end

      # @return [String, nil] why this server does not match
      def mismatch
        return if @wanted == "any" || on? == %w[read-only standby].include?(@wanted)

        "#{MISMATCHES[@wanted]}, and target_session_attrs requires #{@wanted}"
      end

      # @return [Boolean] whether it is a standby that reports so, and a primary is wanted
      def awaits_promotion? = %w[primary read-write].include?(@wanted) && @answers["in_hot_standby"] == "on"

      # @return [String] bytes that follow all this
      def leftover = @query ? @query.leftover : @before

      private

      def subject = %w[primary standby].include?(@wanted) ? "in_hot_standby" : "transaction_read_only"

      def known? = @wanted == "any" || @answers.key?(subject) || reported.all? { |name| @answers.key?(name) }

      def reported = subject == "in_hot_standby" ? [subject] : %w[in_hot_standby default_transaction_read_only]

      def on? = [subject, *reported].any? { |name| %w[on t].include?(@answers[name]) }

      def error_message = ErrorFields.parse(@query.error)[:message]
    end

    private_constant :ServerType
  end
end
