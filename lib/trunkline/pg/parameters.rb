# frozen_string_literal: true

module Trunkline
  module PG
    # Converts the parameters of PG::Connection's methods to those of a {Postgres::VirtualSession}: values and their types.
    #
    # A value is the result of a type map, or a Hash with :value, :type (an OID) and :format (0: text; 1: binary). The client sends text, or Ruby's
    # values, so values in the binary format are decoded here.
    class Parameters
      BYTEA = 17 # its OID
      private_constant :BYTEA

      # @return [Array] for the session
      attr_reader :values

      # @return [Array<Integer>, nil] OIDs, 0: the server determines it; nil: it determines all
      attr_reader :types

      # @param given [Array]
      # @param map [TypeMap] of this module
      # @yieldreturn [Array<Integer>] the parameters' types according to the server
      # @raise [TypeError] the parameters are not an Array
      # @raise [ArgumentError] a value in the binary format, of a type whose format is unknown
      def initialize(given, map, &learn)
        raise TypeError, "wrong argument type #{given.class} (expected Array)" unless given.is_a?(Array)

        @learn = learn
        parts = given.zip(map.encoded(given.map { |value| value.is_a?(Hash) && value.key?(:value) ? nil : value }))
                     .map { |value, encoded| value.is_a?(Hash) && value.key?(:value) ? value : encoded }
        types = parts.map { |part| part.is_a?(Hash) && part.key?(:value) ? part[:type].to_i : 0 }
        @types = types if types.any?(&:positive?)
        @values = parts.each_with_index.map { |part, at| part.is_a?(Hash) && part.key?(:value) ? plain(part, types[at], at) : part }
      end

      private

      def plain(part, type, at)
        value = part[:value]
        return if value.nil?
        return text(value) unless part[:format] == 1

        binary(value.to_s.b, type.positive? ? type : learned[at].to_i)
      end

      def text(value) = value.is_a?(String) && value.encoding == Encoding::BINARY ? value.dup.force_encoding(Encoding::UTF_8) : value.to_s

      def learned = @learned ||= @learn.call

      def binary(bytes, type)
        return bytes if type == BYTEA

        element, is_array = ::Trunkline::Postgres.builtin_type(type)
        raise ArgumentError, "a parameter of type #{type} cannot be given in the binary format here: give its text" unless element

        value = ::Trunkline::Postgres.decode(element, is_array, 1, bytes)
        value.is_a?(String) && value.encoding == Encoding::BINARY ? value.force_encoding(Encoding::UTF_8) : value
      end
    end
    private_constant :Parameters
  end
end
