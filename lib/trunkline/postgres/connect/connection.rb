# frozen_string_literal: true

module Trunkline
  module Postgres
    # A server session that is ready for its first query, and what the server said about it.
    class Connection
      # @return [::Socket] connected, non-blocking
      attr_reader :io

      # @return [Integer, nil] process id of the server's backend; nil where a pooler does not tell
      attr_reader :backend_pid

      # @return [String, nil] bytes that prove the right to cancel; four in protocol 3.0
      attr_reader :secret_key

      # @return [Hash{String => String}] the server's reported parameters: server_version, TimeZone, ...
      attr_reader :parameters

      # @return [String, nil] what the server noticed while the session began, as ErrorFields.each takes it
      attr_reader :notices

      # @return [Endpoint] leads to the same server again
      attr_reader :endpoint

      # @return [String] bytes already read that belong to what follows
      attr_reader :leftover

      # @return [String] how the user was authenticated: none, password, md5 or scram-sha-256
      attr_reader :authentication

      # @return [ServerIdentity, nil] nil: it was not asked for, or the server does not tell
      attr_reader :identity

      # @return [SessionSurvey::Findings, nil] nil: the session was not asked
      attr_reader :findings

      # @return [Boolean] whether the session could not be told all that it should
      def minimal_startup? = @minimal_startup

      # @param io [::Socket]
      # @param startup [Startup] a handshake that is done
      # @param endpoint [Endpoint]
      # @param leftover [String] bytes already read that belong to what follows
      # @param identity [ServerIdentity, nil]
      # @param findings [SessionSurvey::Findings, nil]
      def initialize(io, startup, endpoint, leftover = startup.leftover, identity = nil, findings = nil)
        @io = io
        @backend_pid = startup.backend_pid
        @secret_key = startup.secret_key.freeze
        @parameters = startup.parameters.freeze
        @notices = startup.notices
        @leftover = leftover.freeze
        @authentication = startup.authentication
        @endpoint = endpoint
        @identity = identity
        @findings = findings
        @minimal_startup = startup.minimal?
        freeze
      end

      # @return [String] "host:port/dbname", for messages
      def server = endpoint.server

      # @return [String] without the secret key
      def inspect = "#<#{self.class} #{server} backend_pid=#{backend_pid.inspect}>"
    end
  end
end
