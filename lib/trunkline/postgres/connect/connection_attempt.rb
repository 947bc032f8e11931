# frozen_string_literal: true

require_relative "../../config"
require_relative "encryption"
require_relative "handshake"

module Trunkline
  module Postgres
    # One attempt at one host, within {Config#connect_timeout} in all. If the options allow several variants, of encryption and of the protocol
    # version, a refused one is followed by another.
    class ConnectionAttempt
      # SQLSTATEs of servers and poolers that refuse a newer protocol version instead of negotiating an older one.
      UNKNOWN_VERSION = %w[0A000 08P01].freeze
      UNKNOWN_SETTING = "08P01"
      STARTING_UP = "57P03"
      # SQLSTATEs of a server that starts, shuts down or crashes: they say nothing about the role.
      UNAVAILABLE = [STARTING_UP, "57P01", "57P02"].freeze
      # SQLSTATE of a proof that is bound to another certificate than the server's, among others.
      WRONG_BINDING = "28000"
      # PgBouncer's message.
      UNSUPPORTED = /\Aunsupported startup parameter/
      # PgBouncer reports 08P01 for conditions for which servers have SQLSTATEs: that it is full, and that its server is down.
      POOLER = "08P01"
      POOLER_STATES = {
        /\Ano more connections allowed/ => "53300",
        /\A(server login has been failing|pgbouncer cannot connect to server|query_wait_timeout|server_login_retry|server conn crashed)/ => STARTING_UP
      }.freeze
      # SQLSTATEs of a server that cannot convert the role's name to UTF-8.
      UNWRITABLE = %w[22021 22P05].freeze
      NAME_HINT = "What the server reports at login, such as the name of the role, is not valid in the database's encoding, and cannot be converted to UTF-8: " \
                  "use a role whose name is in ASCII (ALTER ROLE ... RENAME TO ...), or a database in UTF8."
      HINT = "The pooler does not accept this startup parameter: set it for the role or the database, with ALTER ROLE ... SET or ALTER DATABASE ... SET, " \
             "and not here."
      private_constant :UNKNOWN_VERSION, :UNKNOWN_SETTING, :STARTING_UP, :UNAVAILABLE, :WRONG_BINDING, :UNSUPPORTED, :POOLER, :POOLER_STATES, :HINT, :UNWRITABLE, :NAME_HINT

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param wanted [String] the kind of server: any, read-write, read-only, primary or standby
      # @param others [Boolean] whether there are other hosts, so that one that does not accept TCP connections is skipped soon
      # @param cluster [ClusterTimeline, nil] that the server must belong to
      # @param promotions [PromotionWatch, nil] takes over the session of a standby if a primary is wanted
      # @param survey [SessionSurvey, nil] nil: the session is not surveyed
      # @param name [NameWatch::Attempt, nil] the same attempt, if the host's name is looked up
      def initialize(config, host, wanted = "any", others: false, cluster: nil, promotions: nil, survey: nil, name: nil)
        @config = config
        @host = host
        @wanted = wanted
        @cluster = cluster
        @promotions = promotions
        @survey = survey
        @order = name&.method(:order)
        @encryption = Encryption.new(config, host)
        @protocol = [config.max_protocol_version, config.min_protocol_version]
        @tcp_answer = Socket::TCP::ANSWER if others
        @timeout = config.connect_timeout
        @deadline = Socket::Readiness.deadline(@timeout)
        @minimal = false
        @date_style = nil
        @failures = {}
      end

      # @return [Connection]
      # @raise [ConnectionError] there is no server, it does not answer in time, or it closes the connection
      # @raise [UnsuitableServer] it is not of the wanted kind
      # @raise [ServerError] when the server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] the answer is not from a PostgreSQL server
      # @raise [ConfigError] the callable for the password returns an invalid value, or a file is invalid
      def connect
        variants = @encryption.variants.dup
        begin
          handshake = Handshake.new(@config, @host, @wanted, @deadline, timeout: @timeout, encryption: variants.first, protocol: @protocol,
                                    minimal: @minimal, date_style: @date_style, tcp_answer: @tcp_answer, cluster: @cluster, promotions: @promotions, survey: @survey, &@order)
          handshake.connect
        rescue Error => error
          retry if without_session?(handshake, error) || another_version?(handshake, error) || fewer_settings?(handshake, error) || readable_dates?(handshake)
          @failures[encryption = variants.shift] = error
          retry if !variants.empty? && another_encryption?(encryption, handshake, error)
          preferred(error)
        end
      end

      private

      # A server may fail to resume a TLS session. If its certificate has changed since the full handshake, it refuses a proof that is bound to the
      # former one.
      def without_session?(handshake, error)
        return false unless @encryption.resuming?
        return false unless handshake.stuck_encrypting? || (handshake.encrypted? && handshake.unauthenticated? && error.sqlstate == WRONG_BINDING)

        @encryption.forget_session
        !time_over?
      end

      # As with libpq, a server that refuses a role with encryption may accept it without, and vice versa.
      def another_encryption?(encryption, handshake, error)
        return false if time_over?
        return true if handshake.stuck_encrypting?
        return false unless error.is_a?(ServerError) && !UNAVAILABLE.include?(error.sqlstate)

        handshake.unauthenticated? && !encryption.nil? == handshake.encrypted?
      end

      def another_version?(handshake, error)
        return false if @protocol.uniq.one? || time_over?
        return false unless error.is_a?(ServerError) ? handshake.unauthenticated? && UNKNOWN_VERSION.include?(error.sqlstate) : handshake.unanswered?

        @protocol = [@protocol.last] * 2
      end

      # A pooler refuses a session for unknown settings before anything else.
      def fewer_settings?(handshake, error)
        return false if @minimal || time_over? || !handshake.unauthenticated?

        @minimal = error.is_a?(ServerError) && error.sqlstate == UNKNOWN_SETTING && !pooler_state(error.fields)
      end

      # A DateStyle that is requested at startup survives a RESET.
      def readable_dates?(handshake)
        return false if @date_style || time_over?

        @date_style = handshake.readable_date_style
      end

      def time_over? = @deadline && Socket::Readiness.now >= @deadline

      # Of two refusals, the one on the encrypted connection says more: without encryption many servers refuse every role.
      def preferred(error)
        refusals = @failures.select { |_, failure| failure.is_a?(ServerError) }
        error = refusals[@encryption] || refusals[nil] || error
        raise labelled(error), cause: (@failures.values - [error]).first || error.cause
      end

      def labelled(error)
        return error if error.server || error.is_a?(ConfigError)
        return ServerError.from_fields(hinted(stated(error.fields)), server: @host.server).unsent if error.is_a?(ServerError)

        error.class.new(error.message, server: @host.server, retriable: error.retriable?)
      end

      def stated(fields) = (state = pooler_state(fields)) ? { **fields, sqlstate: state } : fields

      # @return [String, nil] the SQLSTATE for a pooler's message
      def pooler_state(fields) = (POOLER_STATES.find { |words, _| words.match?(fields[:message].to_s) }&.last if fields[:sqlstate] == POOLER)

      def hinted(fields)
        return { hint: NAME_HINT, **fields } if UNWRITABLE.include?(fields[:sqlstate])

        fields[:message]&.match?(UNSUPPORTED) ? { hint: HINT, **fields } : fields
      end
    end

    private_constant :ConnectionAttempt
  end
end
