# frozen_string_literal: true

require_relative "../../config"
require_relative "encryption"
require_relative "handshake"

module Trunkline
  module Postgres
    # One attempt at one host, within {Config#connect_timeout} altogether. Where the options
    # allow several ways, of encryption and of the protocol, a refused one is followed by another.
    class ConnectionAttempt
      # What servers and poolers say that cannot answer a newer version of the protocol with an older one.
      UNKNOWN_VERSION = %w[0A000 08P01].freeze
      UNKNOWN_SETTING = "08P01"
      STARTING_UP = "57P03"
      # PgBouncer's.
      UNSUPPORTED = /\Aunsupported startup parameter/
      # PgBouncer says with 08P01 what servers say with states of their own: that it is full, and that its server is away.
      POOLER = "08P01"
      POOLER_STATES = {
        /\Ano more connections allowed/ => "53300",
        /\A(server login has been failing|pgbouncer cannot connect to server|query_wait_timeout|server_login_retry|server conn crashed)/ => STARTING_UP
      }.freeze
      # What a server says that cannot tell the role's name in UTF-8.
      UNWRITABLE = %w[22021 22P05].freeze
      NAME_HINT = "What the server tells at login, as the name of the role, is not in the database's encoding, and so cannot be told in UTF-8: " \
                  "use a role whose name is in ASCII (ALTER ROLE ... RENAME TO ...), or a database in UTF8."
      HINT = "The pooler takes no such setting from its clients: set it for the role or the database, with ALTER ROLE ... SET or ALTER DATABASE ... SET, " \
             "and not here."
      # Seconds within which a host answers at the level of TCP where there are others: a packet that is lost is sent again after one second.
      # What is slower than that is found by the next search, which begins with the same hosts.
      TCP_ANSWER = 1.0
      private_constant :UNKNOWN_VERSION, :UNKNOWN_SETTING, :STARTING_UP, :UNSUPPORTED, :POOLER, :POOLER_STATES, :HINT, :UNWRITABLE, :NAME_HINT, :TCP_ANSWER

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param wanted [String] the kind of server: any, read-write, read-only, primary or standby
      # @param others [Boolean] whether there are other hosts, so that one that does not answer at the level of TCP is left soon
      # @param cluster [ClusterTimeline, nil] that the server must belong to
      # @param promotions [PromotionWatch, nil] takes over the session of a standby where a primary is wanted
      # @param survey [SessionSurvey, nil] nil: the session is not asked what works for it
      # @param name [NameWatch::Attempt, nil] the same attempt, where the host's name is looked up
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
        @tcp_answer = TCP_ANSWER if others
        @timeout = config.connect_timeout
        @deadline = Socket::Readiness.deadline(@timeout)
        @minimal = false
        @date_style = nil
        @failures = {}
      end

      # @return [Connection]
      # @raise [ConnectionError] when there is no server, it does not answer in time, or it goes away
      # @raise [UnsuitableServer] when it is not of the wanted kind
      # @raise [ServerError] when the server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when what answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense, or a file is not what it should be
      def connect
        ways = @encryption.ways.dup
        begin
          handshake = Handshake.new(@config, @host, @wanted, @deadline, timeout: @timeout, encryption: ways.first, protocol: @protocol,
                                    minimal: @minimal, date_style: @date_style, tcp_answer: @tcp_answer, cluster: @cluster, promotions: @promotions, survey: @survey, &@order)
          handshake.connect
        rescue Error => error
          retry if another_version?(handshake, error) || fewer_settings?(handshake, error) || readable_dates?(handshake)
          @failures[way = ways.shift] = error
          retry if !ways.empty? && another_way?(way, handshake, error)
          tell(error)
        end
      end

      private

      # As with libpq, a server that refuses a role with encryption may take it without, and the other way round.
      def another_way?(way, handshake, error)
        return false if time_over?
        return true if handshake.stuck_encrypting?
        return false unless error.is_a?(ServerError) && error.sqlstate != STARTING_UP

        handshake.unauthenticated? && !way.nil? == handshake.encrypted?
      end

      def another_version?(handshake, error)
        return false if @protocol.uniq.one? || time_over?
        return false unless error.is_a?(ServerError) ? handshake.unauthenticated? && UNKNOWN_VERSION.include?(error.sqlstate) : handshake.unanswered?

        @protocol = [@protocol.last] * 2
      end

      # A pooler refuses a session for the settings that it does not know, before anything else.
      def fewer_settings?(handshake, error)
        return false if @minimal || time_over? || !handshake.unauthenticated?

        @minimal = error.is_a?(ServerError) && error.sqlstate == UNKNOWN_SETTING && !pooler_state(error.fields)
      end

      # Asked for as the connection begins, it stays whatever is reset.
      def readable_dates?(handshake)
        return false if @date_style || time_over?

        @date_style = handshake.readable_date_style
      end

      def time_over? = @deadline && Socket::Readiness.now >= @deadline

      # Of two refusals the one of the encrypted connection says more: without encryption many servers refuse every role.
      def tell(error)
        refusals = @failures.select { |_, failure| failure.is_a?(ServerError) }
        error = refusals[@encryption] || refusals[nil] || error
        raise labelled(error), cause: (@failures.values - [error]).first || error.cause
      end

      def labelled(error)
        return error if error.server || error.is_a?(ConfigError)
        return ServerError.from_fields(hinted(stated(error.fields)), server: @host.server) if error.is_a?(ServerError)

        error.class.new(error.message, server: @host.server, retriable: error.retriable?)
      end

      def stated(fields) = (state = pooler_state(fields)) ? { **fields, sqlstate: state } : fields

      # @return [String, nil] the SQLSTATE of what a pooler says in words
      def pooler_state(fields) = (POOLER_STATES.find { |words, _| words.match?(fields[:message].to_s) }&.last if fields[:sqlstate] == POOLER)

      def hinted(fields)
        return { hint: NAME_HINT, **fields } if UNWRITABLE.include?(fields[:sqlstate])

        fields[:message]&.match?(UNSUPPORTED) ? { hint: HINT, **fields } : fields
      end
    end

    private_constant :ConnectionAttempt
  end
end
