# frozen_string_literal: true

require_relative "coders"

module Trunkline
  module PG
    # Decoders of the binary format. Their values are those of this library.
    module BinaryDecoder
      # By the length of a value in bytes.
      INTEGERS = { 2 => "s>", 4 => "l>", 8 => "q>" }.freeze
      FLOATS = { 4 => "g", 8 => "G" }.freeze
      private_constant :INTEGERS, :FLOATS

      # @param oid [Integer] of a built-in type
      # @return [Class] of a decoder of it
      def self.of(oid)
        element, = ::Trunkline::Postgres.builtin_type(oid)
        Class.new(SimpleDecoder) { define_method(:decode) { |bytes, _row = nil, _column = nil| bytes && ::Trunkline::Postgres.decode(element, false, 1, bytes) } }
      end
      private_class_method :of

      # @param patterns [Hash{Integer => String}] for String#unpack1, by lengths
      # @return [Class] of a decoder of numbers
      def self.numbers(patterns)
        Class.new(SimpleDecoder) do
          define_method(:decode) do |bytes, _row = nil, _column = nil|
            bytes && bytes.unpack1(patterns.fetch(bytes.bytesize) { raise TypeError, "wrong data for #{self.class}: #{bytes.bytesize} bytes" })
          end
        end
      end
      private_class_method :numbers

      { Boolean: 16, Bytea: 17, String: 25, Date: 1082, TimestampUtc: 1114 }.each { |name, oid| const_set(name, of(oid)) }
      Integer = numbers(INTEGERS)
      Float = numbers(FLOATS)
    end

    # Encoders of the binary format.
    module BinaryEncoder
      # @return [Class] of an encoder
      def self.of(&encoding) = Class.new(SimpleEncoder) { define_method(:encode) { |value| value.nil? ? nil : encoding.call(value) } }
      private_class_method :of

      { Int2: "s>", Int4: "l>", Int8: "q>" }.each { |name, pattern| const_set(name, of { |value| [Integer(value)].pack(pattern) }) }
      { Float4: "g", Float8: "G" }.each { |name, pattern| const_set(name, of { |value| [Float(value)].pack(pattern) }) }
      BOOLEANS = { true => "\x01".b, false => "\0".b }.freeze
      private_constant :BOOLEANS
      Boolean = of { |value| BOOLEANS.fetch(value) { raise TypeError, "wrong data for binary boolean converter" } }
      Bytea = of { |value| value.to_s.b }
      String = of { |value| value.to_s.encode(Encoding::UTF_8).b }
    end
  end
end
