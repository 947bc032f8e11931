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
    # The handshake of protocol 3, from the startup message to the first ReadyForQuery: bytes in, bytes out.
    class Startup
      # Bytes of the longest secret key (PostgreSQL manual, "BackendKeyData").
      LONGEST_KEY = 256

      # Every session is the same: values are decoded by these, and SQL is read by the last one. DateStyle is not among them: to ask for ISO
      # is to ask for the order of month, day and year that the server's configuration has, in place of the role's and the database's.
      SESSION = { "client_encoding" => "UTF8", "IntervalStyle" => "postgres", "extra_float_digits" => "3",
                  "standard_conforming_strings" => "on" }.freeze

      # Those that some poolers do not know, and refuse.
      DISPENSABLE = %w[IntervalStyle extra_float_digits].freeze

      # What the server reports back of them, and of what it was built with.
      REPORTED = { "client_encoding" => /\AUTF8\z/, "DateStyle" => /\AISO\b/,
                   "integer_datetimes" => /\Aon\z/, "standard_conforming_strings" => /\Aon\z/ }.freeze

      # The messages that may come while the server authenticates the client, with the longest length they may have.
      # The limits are libpq's: enough for any request and any error, while a stranger's text read as a length is more.
      AUTHENTICATING = { "R" => 2_000, "v" => 2_000, "E" => 30_000 }.freeze

      # The messages that may come afterwards.
      PREPARING = %w[S K N E A Z].freeze

      # The most bytes a handshake may have. A server needs about 500; notices of login triggers come on top.
      LIMIT = 1 << 20

      # The oldest major version of PostgreSQL that is supported. Poolers report their server's, but for their own consoles.
      OLDEST = 12

      # What to do where a pooler does not know a setting, and the server's own will not do.
      ADVICE = "the pooler did not let IntervalStyle and extra_float_digits be set, and the server has other values than postgres " \
               "and at least 1: set them for the role or the database, with ALTER ROLE ... SET"

      private_constant :OLDEST, :LONGEST_KEY, :SESSION, :DISPENSABLE, :REPORTED, :AUTHENTICATING, :PREPARING, :LIMIT

      # @param settings [Hash{String => String}] of {#initialize}
      # @param dispensable [Enumerable<String>] of {#initialize}
      # @return [Array<String>] those in which intervals can be read
      def self.interval_styles(settings, dispensable)
        style = settings.fetch("IntervalStyle", SESSION["IntervalStyle"])
        dispensable.include?("IntervalStyle") ? [style, SESSION["IntervalStyle"]] : [style]
      end

      # @return [Hash{String => String}] what the server reported about itself and the session
      attr_reader :parameters

      # @return [String, nil] what the server noticed meanwhile, of its login triggers too, as ErrorFields.each takes it
      attr_reader :notices

      # @return [Integer, nil] process id of the server's backend; nil where a pooler does not tell
      attr_reader :backend_pid

      # @return [String, nil] bytes that prove the right to cancel
      attr_reader :secret_key

      # @param user [String]
      # @param dbname [String]
      # @param password [#call] asked for the password (a String or nil), and only when the server wants one
      # @param settings [Hash{String => String}] further parameters of the session
      # @param dispensable [Array<String>] names of those that some poolers do not know, beside the session's own
      # @param minimal [Boolean] ask for none of these
      # @param protocol [Array<String>] the newest and the oldest version to speak, "3.0" or "3.2"
      # @param demands [Hash] what else {Authentication} is to know: allowed, channel_binding, certificate
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
      # @return [String] what to send next, empty when it is the server's turn
      # @raise [ServerError] what the server reports
      # @raise [ConnectionError, ProtocolError]
      def receive(bytes)
        @frames << bytes
        answers = String.new(encoding: Encoding::BINARY)
        while !ready? && (type, body = next_message)
          answers << handle(type, body)
        end
        answers
      end

      # @return [Boolean] whether the server has said nothing yet
      def unanswered? = @frames.taken.zero? && @frames.rest.empty?

      # @return [Boolean] whether the server has taken the proof of identity
      def authenticated? = @authentication.complete?

      # @return [String, nil] as {Authentication#method_name}
      def authentication = @authentication.method_name

      # @return [Boolean] whether the session was not asked for all the settings it should have
      def minimal? = @minimal

      # @return [Boolean] whether the session can be used
      def ready? = @ready

      # @return [String] bytes that came after the handshake
      def leftover = @frames.rest

      # @return [String] what is going on, for messages
      def stage = @authentication.complete? ? "the preparation of the session" : "authentication"

      # @return [ConnectionError] what it means that the server closed the connection now
      def end_of_stream
        return UnexpectedReply.old_error(@frames.rest) if old_error?

        ConnectionError.new("the server closed the connection during #{stage}")
      end

      # @return [String] the class alone: there is a password inside
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

      # An error whose length is beyond all bounds is text. It is read to its end.
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
        "" # None of these asks for anything, nor do notifications.
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

        message = "the session has #{name} #{value.inspect}, which is not what was asked for"
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
