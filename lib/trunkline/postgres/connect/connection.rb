# frozen_string_literal: true

module Trunkline
  module Postgres
    # A server session that is ready for its first query, and what the server has reported about it.
    class Connection
      # @return [::Socket] connected, non-blocking
      attr_reader :io

      # @return [Integer, nil] process ID of the server's backend; nil: a pooler does not report it
      attr_reader :backend_pid

      # @return [String, nil] the secret key for cancel requests; four bytes in protocol 3.0
      attr_reader :secret_key

      # @return [Hash{String => String}] the server's reported parameters: server_version, TimeZone, ...
      attr_reader :parameters

      # @return [String, nil] notices that arrived during startup, as ErrorFields.each takes them
      attr_reader :notices

      # @return [Endpoint] for further connections to the same server
      attr_reader :endpoint

      # @return [String] bytes already read that follow the handshake
      attr_reader :leftover

      # @return [String] the authentication method: none, password, md5 or scram-sha-256
      attr_reader :authentication

      # @return [ServerIdentity, nil] nil: not requested, or not reported by the server
      attr_reader :identity

      # @return [SessionSurvey::Findings, nil] nil: not requested
      attr_reader :findings

      # @return [Boolean] whether the session was started without the dispensable settings
      def minimal_startup? = @minimal_startup

      # @param io [::Socket]
      # @param startup [Startup] a completed handshake
      # @param endpoint [Endpoint]
      # @param leftover [String] bytes already read that follow the handshake
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
