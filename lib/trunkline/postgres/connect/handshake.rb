# frozen_string_literal: true

require_relative "connection"
require_relative "handshake_io"
require_relative "server_identity"
require_relative "server_type"
require_relative "session_survey"
require_relative "startup"
require_relative "endpoint"

module Trunkline
  module Postgres
    # Opens a connection to one host, in one variant: a socket, encryption, the server's session, and a check of the kind of server.
    class Handshake
      FAREWELL = ["X", 4].pack("aN").freeze
      private_constant :FAREWELL

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param wanted [String] the kind of server: any, read-write, read-only, primary or standby
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @param timeout [Float, nil] seconds of that deadline, for messages
      # @param encryption [Encryption, nil] nil: in the clear
      # @param protocol [Array<String>] the newest and the oldest version allowed
      # @param minimal [Boolean] omit settings that some poolers do not know
      # @param date_style [String, nil] DateStyle to request if the session's own cannot be read
      # @param tcp_answer [Float, nil] seconds within which the TCP connection must be accepted
      # @param cluster [ClusterTimeline, nil] that the server must belong to; nil: its identity is not requested
      # @param promotions [PromotionWatch, nil] takes over the session of a standby if a primary is wanted
      # @param survey [SessionSurvey, nil] nil: the session is not surveyed
      # @yieldparam addresses [Array<Addrinfo>] of the host's name
      # @yieldreturn [Array<Addrinfo>] the same, in the order in which they are tried
      def initialize(config, host, wanted, deadline, timeout:, encryption:, protocol:, minimal: false, date_style: nil, tcp_answer: nil, cluster: nil, promotions: nil,
                     survey: nil, &order)
        @config = config
        @host = host
        @wanted = wanted
        @deadline = deadline
        @timeout = timeout
        @encryption = encryption
        @protocol = protocol
        @minimal = minimal
        @date_style = date_style
        @tcp_answer = tcp_answer
        @cluster = cluster
        @promotions = promotions
        @survey = survey
        @order = order
        @kept = false
        @stage = :connecting
      end

      # If this ends early, by an exception or a cancelled fiber, the socket is closed.
      #
      # @return [Connection]
      # @raise [Error]
      def connect
        endpoint = Endpoint.new(@config, @host)
        @io = endpoint.open(@deadline, tcp_answer: @tcp_answer, &@order)
        @encrypted = @encryption ? encrypt : false
        begin_session
        @encryption.keep_session(@io) if @encrypted
        identity, leftover = check_server(type = ServerType.new(@wanted, @startup))
        findings, leftover = survey(leftover)
        type.learn(identity)
        refuse(type)
        connection = Connection.new(@io, @startup, endpoint.narrowed(@io, (@encryption if @encrypted)), leftover, identity, findings)
      ensure
        @io&.close unless connection || @kept
      end

      # @return [Boolean] whether it failed during the TLS handshake, after the server had agreed to encrypt
      def stuck_encrypting? = @stage == :encrypting

      # @return [Boolean] whether it failed before the server had accepted the client's identity
      def unauthenticated? = @stage == :starting && !@startup.authenticated?

      # @return [Boolean] whether the server has not sent any message of the protocol
      def unanswered? = @stage == :starting && @startup.unanswered?

      # @return [String, nil] the DateStyle to request in another attempt, if the session's own cannot be read
      attr_reader :readable_date_style

      # @return [Boolean] whether the connection was encrypted
      def encrypted? = @encrypted

      private

      def encrypt
        return false unless @encryption.agreed?(@io, @deadline)

        @stage = :encrypting
        @io = @encryption.shake_hands(@io, @deadline)
        true
      end

      def begin_session
        @startup = Startup.new(
          user: @config.user, dbname: @config.dbname, password: -> { @config.password(@host) }, settings: settings,
          dispensable: @config.dispensable.keys, minimal: @minimal, protocol: @protocol, allowed: @config.require_auth, channel_binding: @config.channel_binding,
          certificate: (@io.peer_cert if @encrypted)
        )
        @stage = :starting
        @handshake_io = HandshakeIO.new(@io, @startup, @deadline, @timeout)
        @handshake_io.write(@startup.message)
        @handshake_io.write(@startup.receive(@handshake_io.read)) until @startup.ready?
      rescue Startup::OtherDateStyle => error
        @readable_date_style = error.readable
        end_session
        raise
      end

      def settings
        session = @survey ? @survey.named(@config.session) : @config.session
        @date_style ? { **session, "DateStyle" => @date_style } : session
      end

      # The server closes its end when the session's slot is free: the next attempt may need it.
      def end_session
        @handshake_io.write(FAREWELL)
        loop { @handshake_io.read }
      rescue ConnectionError
        nil
      end

      # The queries for the server's kind, its identity and the survey are sent together.
      #
      # @return [Array(ServerIdentity, String)] the identity, if requested and reported, and the bytes that follow
      def check_server(type)
        query = type.query
        refuse_reported(type) unless query
        flight = "#{query}#{IdentityQuery::MESSAGE if @cluster}#{@survey&.message}"
        @handshake_io.write(flight) unless flight.empty?
        type.receive(@handshake_io.read) until type.answered?
        refuse(type)
        @cluster ? identify(type.leftover) : [nil, type.leftover]
      end

      # If the server itself can be queried, its answer decides, and not what a pooler reports.
      def refuse_reported(type)
        return unless type.mismatch

        if @cluster
          @handshake_io.write(IdentityQuery::MESSAGE)
          type.learn(*request_identity(type.leftover))
        end
        refuse(type)
      end

      # @return [Array(ServerIdentity, String)]
      def request_identity(bytes)
        query = IdentityQuery.new(@host.server, bytes)
        query.receive(@handshake_io.read) until query.answered?
        [query.identity, query.leftover]
      end

      def identify(bytes)
        identity, leftover = request_identity(bytes)
        @cluster.check(identity)
        [identity, leftover]
      rescue WrongCluster, UnsuitableServer
        @handshake_io.write(FAREWELL)
        raise
      end

      # @return [Array(SessionSurvey::Findings, String)] the findings, or nil without a survey, and the bytes that follow
      def survey(bytes)
        return [nil, bytes] unless @survey

        @survey.conduct(@handshake_io, bytes, reported: @startup.backend_pid, server: @host.server)
      end

      def refuse(type)
        mismatch = type.mismatch or return
        @kept = type.awaits_promotion? && @promotions&.keep(@host, @io)
        @handshake_io.write(FAREWELL) unless @kept
        raise UnsuitableServer, mismatch
      end
    end

    private_constant :Handshake
  end
end
