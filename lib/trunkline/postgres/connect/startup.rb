# frozen_string_literal: true

require_relative "../../errors"
require_relative "authentication"
require_relative "startup/early_query"
require_relative "startup/frames"
require_relative "startup/other_date_style"
require_relative "startup/unexpected_reply"
require_relative "startup/protocol_version"

module Trunkline
  module Postgres
    # The handshake of protocol 3, from the startup message to the first ReadyForQuery, without I/O.
    class Startup
      # Bytes of the longest secret key (PostgreSQL manual, "BackendKeyData").
      LONGEST_KEY = 256

      # Settings of every session: values are decoded according to these, and SQL is parsed according to the last one. DateStyle is not among them:
      # requesting ISO would also set the order of month, day and year to that of the server's configuration, instead of the role's or the database's.
      SESSION = { "client_encoding" => "UTF8", "IntervalStyle" => "postgres", "extra_float_digits" => "3",
                  "standard_conforming_strings" => "on" }.freeze

      # Settings that some poolers do not know, and refuse.
      DISPENSABLE = %w[IntervalStyle extra_float_digits].freeze

      # What the server must report of these, and of its build options.
      REPORTED = { "client_encoding" => /\AUTF8\z/, "DateStyle" => /\AISO\b/,
                   "integer_datetimes" => /\Aon\z/, "standard_conforming_strings" => /\Aon\z/ }.freeze

      # The messages that may arrive during authentication, with their maximum lengths. The limits are libpq's: enough for any request and any error;
      # text from another kind of server, read as a length, exceeds them.
      AUTHENTICATING = { "R" => 2_000, "v" => 2_000, "E" => 30_000 }.freeze

      # The messages that may come afterwards.
      PREPARING = %w[S K N E A Z].freeze

      # The most bytes that a handshake may have. A server needs about 500; notices of login triggers are added.
      LIMIT = 1 << 20

      # The oldest major version of PostgreSQL that is supported. Poolers report their server's version, except for their own consoles.
      OLDEST = 12

      # Advice if a pooler does not know a setting, and the server's own value is unsuitable.
      ADVICE = "the pooler did not let IntervalStyle and extra_float_digits be set, and the server has other values than postgres " \
               "and at least 1: set them for the role or the database, with ALTER ROLE ... SET"

      private_constant :OLDEST, :LONGEST_KEY, :SESSION, :DISPENSABLE, :REPORTED, :AUTHENTICATING, :PREPARING, :LIMIT

      # @param settings [Hash{String => String}] of {#initialize}
      # @param dispensable [Enumerable<String>] of {#initialize}
      # @return [Array<String>] the interval styles that can be decoded
      def self.interval_styles(settings, dispensable)
        style = settings.fetch("IntervalStyle", SESSION["IntervalStyle"])
        dispensable.include?("IntervalStyle") ? [style, SESSION["IntervalStyle"]] : [style]
      end

      # @return [Hash{String => String}] the parameters that the server reported
      attr_reader :parameters

      # @return [String, nil] notices that arrived meanwhile, including those of login triggers, as ErrorFields.each takes them
      attr_reader :notices

      # @return [Integer, nil] process ID of the server's backend; nil: a pooler does not report it
      attr_reader :backend_pid

      # @return [String, nil] the secret key for cancel requests
      attr_reader :secret_key

      # @param user [String]
      # @param dbname [String]
      # @param password [#call] returns the password (a String or nil); called only if the server requests it
      # @param settings [Hash{String => String}] further parameters of the session
      # @param dispensable [Array<String>] names of those that some poolers do not know, besides the session's own
      # @param minimal [Boolean] whether to omit all of these
      # @param protocol [Array<String>] the newest and the oldest version allowed, "3.0" or "3.2"
      # @param demands [Hash] further arguments of {Authentication}: allowed, channel_binding, certificate
      def initialize(user:, dbname:, password:, settings: {}, dispensable: [], minimal: false, protocol: %w[3.0 3.0], **demands)
        @session = { "user" => user, "database" => dbname, **(minimal ? SESSION.except(*DISPENSABLE).merge(settings.except(*dispensable)) : SESSION.merge(settings)) }
        @reported = expectations(Startup.interval_styles(settings, dispensable))
        @minimal = minimal
        @version = ProtocolVersion.new(*protocol)
        @authentication = Authentication.new(user: user, password: password, **demands)
        @frames = Frames.new
        @parameters = {}
        @notices = nil
        @ready = false
      end

      # @return [String] the startup message, the first thing to send
      def message
        pairs = @session.flat_map { |name, value| [name.b, value.b] }.map { |text| "#{text}\0" }.join
        [pairs.bytesize + 9, @version.to_i, pairs].pack("NNa*x")
      end

      # @param bytes [String] what the server sent
      # @return [String] what to send next; empty: it is the server's turn
      # @raise [ServerError] as the server reports it
      # @raise [ConnectionError, ProtocolError]
      def receive(bytes)
        @frames << bytes
        answers = String.new(encoding: Encoding::BINARY)
        while !ready? && (type, body = next_message)
          answers << handle(type, body)
        end
        answers
      end

      # @return [Boolean] whether the server has sent nothing yet
      def unanswered? = @frames.taken.zero? && @frames.rest.empty?

      # @return [Boolean] whether the server has accepted the client's identity
      def authenticated? = @authentication.complete?

      # @return [String, nil] as {Authentication#method_name}
      def authentication = @authentication.method_name

      # @return [Boolean] whether the dispensable settings were omitted
      def minimal? = @minimal

      # @return [Boolean] whether the session can be used
      def ready? = @ready

      # @return [String] bytes that follow the handshake
      def leftover = @frames.rest

      # @return [String] the current stage, for messages
      def stage = @authentication.complete? ? "the preparation of the session" : "authentication"

      # @return [ConnectionError] for a connection that the server closes at this stage
      def end_of_stream
        return UnexpectedReply.old_error(@frames.rest) if old_error?

        ConnectionError.new("the server closed the connection during #{stage}")
      end

      # @return [String] the class alone: the instance variables contain a password
      def inspect = "#<#{self.class}>"

      private

      def expectations(interval_styles) = { **REPORTED, "IntervalStyle" => /\A(?:#{Regexp.union(interval_styles).source})\z/i }

      def next_message
        return unless @frames.type

        @authentication.complete? ? check_preparing : check_authenticating
        @frames.next
      end

      def check_authenticating
        limit = AUTHENTICATING[@frames.type] or raise UnexpectedReply.nonsense(@frames.rest)
        length = @frames.length
        return if length.nil? || length.between?(8, limit)
        raise UnexpectedReply.nonsense(@frames.rest) unless old_error?
        raise UnexpectedReply.old_error(@frames.rest) if @frames.rest.include?("\0") || @frames.rest.bytesize > limit
      end

      # An error with an impossible length is text of protocol 2. It is read to its end.
      def old_error?
        return false unless @frames.type == "E" && @frames.length && !@authentication.complete?

        !@frames.length.between?(0, AUTHENTICATING["E"])
      end

      def check_preparing
        type = @frames.type
        raise ProtocolError, "unexpected message #{type.inspect} in the handshake" unless PREPARING.include?(type)
        return unless (length = @frames.length)
        raise ProtocolError, "message #{type.inspect} with an impossible length of #{length}" if length < 4
        raise ProtocolError, "a handshake of more than #{LIMIT} bytes" if length + @frames.taken > LIMIT
      end

      def handle(type, body)
        case type
        when "R" then return @authentication.answer(body)
        when "E" then raise ServerError.from_fields(ErrorFields.parse(body))
        when "v" then @version.negotiate(body)
        when "S" then add_parameter(body)
        when "K" then keep_key(body)
        when "N" then @notices = ErrorFields.append(@notices, body)
        when "Z" then finish(body)
        end
        "" # Neither these nor notifications need a reply.
      end

      def add_parameter(body)
        name, value, rest = body.force_encoding(Encoding::UTF_8).scrub.split("\0", -1)
        raise ProtocolError, "a malformed ParameterStatus" unless rest == ""

        @parameters[name] = value
      end

      def keep_key(body)
        raise ProtocolError, "a malformed BackendKeyData" unless body.bytesize.between?(8, 4 + LONGEST_KEY)

        @backend_pid, @secret_key = body.unpack("Na*")
      end

      def finish(status)
        raise ProtocolError, "a new session with transaction status #{status.inspect}" unless status == "I"

        check_version(@parameters["server_version"])
        name, value = @parameters.find { |parameter, reported| @reported[parameter]&.match?(reported) == false }
        return @ready = true unless name
        raise OtherDateStyle, value if name == "DateStyle" && !@session.key?(name)

        message = "the session has #{name} #{value.inspect}, which is not what the client requested"
        raise ConnectionError.new(@minimal && !@session.key?(name) ? "#{message}: #{ADVICE}" : message, retriable: false)
      end

      def check_version(version)
        return unless version && version.match?(/\A\d+(\.\d+)*( |\z|devel|beta|rc)/) && version.to_i < OLDEST

        raise ConnectionError.new("this is PostgreSQL #{version}, and Trunkline needs #{OLDEST} or newer", retriable: false)
      end
    end

    private_constant :Startup
  end
end
