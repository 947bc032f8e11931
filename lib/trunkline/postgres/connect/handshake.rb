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
    # A connection to one host, made in one way: a socket, encryption on it, the server's session, and a look at what kind of
    # server it is.
    class Handshake
      FAREWELL = ["X", 4].pack("aN").freeze
      private_constant :FAREWELL

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param wanted [String] the kind of server: any, read-write, read-only, primary or standby
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @param timeout [Float, nil] seconds that led to the deadline, for messages
      # @param encryption [Encryption, nil] nil: in the clear
      # @param protocol [Array<String>] the newest and the oldest version to speak
      # @param minimal [Boolean] ask for no setting that some poolers do not know
      # @param date_style [String, nil] what to ask for where the session's own cannot be read
      # @param tcp_answer [Float, nil] seconds within which the host answers at the level of TCP
      # @param cluster [ClusterTimeline, nil] that the server must belong to; nil: it is not asked for its identity
      # @param promotions [PromotionWatch, nil] takes over the session of a standby where a primary is wanted
      # @param survey [SessionSurvey, nil] nil: the session is not asked what works for it
      # @yieldparam addresses [Array<Addrinfo>] of the host's name
      # @yieldreturn [Array<Addrinfo>] the same, in the order in which they are to be tried
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

      # Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      #
      # @return [Connection]
      # @raise [Error]
      def connect
        endpoint = Endpoint.new(@config, @host)
        @io = endpoint.open(@deadline, tcp_answer: @tcp_answer, &@order)
        @encrypted = @encryption ? encrypt : false
        begin_session
        identity, leftover = check_server(type = ServerType.new(@wanted, @startup))
        findings, leftover = survey(leftover)
        type.learn(identity)
        refuse(type)
        connection = Connection.new(@io, @startup, endpoint.narrowed(@io, (@encryption if @encrypted)), leftover, identity, findings)
      ensure
        @io&.close unless connection || @kept
      end

      # @return [Boolean] whether it went wrong after the server had agreed to encrypt, before it was done
      def stuck_encrypting? = @stage == :encrypting

      # @return [Boolean] whether it went wrong before the server had taken the proof of identity
      def unauthenticated? = @stage == :starting && !@startup.authenticated?

      # @return [Boolean] whether the server has not said a word of the protocol
      def unanswered? = @stage == :starting && @startup.unanswered?

      # @return [String, nil] the DateStyle to ask for, in another attempt, where the session has one in which dates cannot be read
      attr_reader :readable_date_style

      # @return [Boolean] whether what was said was encrypted
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
        leave
        raise
      end

      def settings
        session = @survey ? @survey.named(@config.session) : @config.session
        @date_style ? { **session, "DateStyle" => @date_style } : session
      end

      # The server closes its end when it has given the session's place to others: the next attempt may need it.
      def leave
        @handshake_io.write(FAREWELL)
        loop { @handshake_io.read }
      rescue ConnectionError
        nil
      end

      # The server is asked for its kind, its identity and what works for the session in one flight.
      #
      # @return [Array(ServerIdentity, String)] the identity, where it is asked for and told, and the bytes that came after all this
      def check_server(type)
        query = type.query
        refuse_reported(type) unless query
        flight = "#{query}#{IdentityQuery::MESSAGE if @cluster}#{@survey&.message}"
        @handshake_io.write(flight) unless flight.empty?
        type.receive(@handshake_io.read) until type.answered?
        refuse(type)
        @cluster ? identify(type.leftover) : [nil, type.leftover]
      end

      # What speaks against a server is its own word, where it can be asked, and not a pooler's.
      def refuse_reported(type)
        return unless type.objection

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

      # @return [Array(SessionSurvey::Findings, String)] nil where nothing was asked, and the bytes that came after all this
      def survey(bytes)
        return [nil, bytes] unless @survey

        @survey.conduct(@handshake_io, bytes, told: @startup.backend_pid, server: @host.server)
      end

      def refuse(type)
        objection = type.objection or return
        @kept = type.awaits_promotion? && @promotions&.keep(@host, @io)
        @handshake_io.write(FAREWELL) unless @kept
        raise UnsuitableServer, objection
      end
    end

    private_constant :Handshake
  end
end
