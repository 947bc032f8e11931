# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  module Memcached
    # The server could not do what it was asked: out of memory, too large, a fault of its own.
    class ServerError < Error
      def initialize(message = nil, sent: true, **context) = super # :nodoc:
    end

    # The server refused what it was asked.
    class ClientError < Error
      def initialize(message = nil, sent: true, **context) = super # :nodoc:
    end

    # The value is longer than the server takes (its option -I): what was there before is gone. Or it is longer than the client's
    # max_value: then nothing was sent.
    class ValueTooLarge < ServerError; end

    # The value is no number, so it cannot be counted up or down.
    class NotANumber < ClientError; end

    # The serializer refused the value; nothing was sent.
    class MarshalError < Error; end

    # What is stored is not what the serializer or the compressor understands.
    class UnmarshalError < Error; end

    # What a server said -> an error.
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
