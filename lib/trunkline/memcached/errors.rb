# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  module Memcached
    # The server failed to execute a command: out of memory, too large, an internal error.
    class ServerError < Error
      def initialize(message = nil, sent: true, **context) = super # :nodoc:
    end

    # The server refused a command.
    class ClientError < Error
      def initialize(message = nil, sent: true, **context) = super # :nodoc:
    end

    # The value is longer than the server accepts (its option -I): the former value is lost. Or it is longer than the client's max_value: then nothing
    # was sent.
    class ValueTooLarge < ServerError; end

    # The value is not a number, so it cannot be incremented or decremented.
    class NotANumber < ClientError; end

    # The serializer refused the value; nothing was sent.
    class MarshalError < Error; end

    # The stored value cannot be deserialized or decompressed.
    class UnmarshalError < Error; end

    # Converts a server's error line to an error.
    module Refusal
      UNCOUNTABLE = "the value is not a number, or was not stored as one: to be counted, it is stored as a String of digits with raw: true, or by the " \
                    "default of incr and decr"
      KINDS = {
        /\ASERVER_ERROR object too large for cache/ => [ValueTooLarge, "the value is larger than the server takes (its option -I)"],
        /\ACLIENT_ERROR cannot increment or decrement non-numeric value/ => [NotANumber, UNCOUNTABLE],
        /\ASERVER_ERROR (?<said>.*)/ => [ServerError, "the server failed"],
        /\ACLIENT_ERROR (?<said>.*)/ => [ClientError, "the server refused the command"],
        /\A(?<said>.*)/ => [ClientError, "the server does not know the command (it must be memcached 1.6.10 or newer)"]
      }.freeze
      private_constant :UNCOUNTABLE, :KINDS

      module_function

      # @param line [String]
      # @param server [String]
      # @return [Error]
      def error(line, server)
        KINDS.each do |pattern, (kind, sentence)|
          match = pattern.match(line) or next
          said = match.named_captures["said"]
          return kind.new(said ? "#{sentence}: #{said}" : sentence, server: server)
        end
      end
    end
    private_constant :Refusal
  end
end
