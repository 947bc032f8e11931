# frozen_string_literal: true

require_relative "bytea"

module Trunkline
  module PG
    # The base class of decoders, which convert the server's data to values, and encoders, which do the reverse. A user's class has `decode` or
    # `encode`.
    class Coder
      # @return [Integer] of the type
      attr_accessor :oid

      # @return [String, nil]
      attr_accessor :name

      # @return [Integer] 0: text format; 1: binary format
      attr_accessor :format

      # @param options [Hash{Symbol => Object}, nil] the same as keywords: name, oid and format
      def initialize(options = nil, **keywords)
        options = { format: binary? ? 1 : 0, oid: 0, **options.to_h, **keywords }
        @name, @oid, @format = options.values_at(:name, :oid, :format)
      end

      # @return [Boolean] whether the other one has the same class, name, oid and format
      def ==(other) = other.class == self.class && other.to_h == to_h

      # @return [Hash{Symbol => Object}] name, oid and format
      def to_h = { oid: @oid, format: @format, name: @name }

      # @return [String]
      def inspect = "#<#{self.class} #{@name.inspect} oid=#{@oid}>"

      # @return [String] its name, and letters for its format and its direction: "INT4:TD"
      def inspect_short = "#{@name || self.class}:#{@format == 1 ? "B" : "T"}#{respond_to?(:decode) ? "D" : "E"}"

      private

      def binary? = self.class.name.to_s.include?("::Binary")
    end

    # Converts the server's text to values.
    class SimpleDecoder < Coder
      # @param text [String, nil]
      # @return [Object, nil]
      def decode(text, _row = nil, _column = nil) = text
    end

    # Converts values to the server's text.
    class SimpleEncoder < Coder
      # @param value [Object, nil]
      # @return [String, nil]
      def encode(value) = value&.to_s
    end

    # Decoders of the text format. Their values are those of this library.
    module TextDecoder
      # @param oid [Integer] of a built-in type
      # @return [Class] of a decoder of it
      def self.of(oid)
        element, is_array = ::Trunkline::Postgres.builtin_type(oid)
        finisher = ::Trunkline::Postgres::Types.finisher(oid)
        Class.new(SimpleDecoder) do
          define_method(:decode) do |text, _row = nil, _column = nil|
            next if text.nil?

            value = ::Trunkline::Postgres.decode(element, is_array, 0, text)
            finisher ? finisher.call(value) : value
          end
        end
      end
      private_class_method :of

      { Boolean: 16, Bytea: 17, Integer: 20, String: 25, JSON: 114, Float: 701, Inet: 869, Date: 1082, TimestampUtc: 1114, TimestampWithTimeZone: 1184, Numeric: 1700 }
        .each { |name, oid| const_set(name, of(oid)) }
    end

    # Encoders of the text format.
    module TextEncoder
      # @raise [TypeError] it is not a String
      def self.text(value) = ::String.try_convert(value) || raise(TypeError, "no implicit conversion of #{value.class} into String") # :nodoc:

      String = Class.new(SimpleEncoder)
      Integer = Class.new(SimpleEncoder)
      Float = Class.new(SimpleEncoder)
      Boolean = Class.new(SimpleEncoder) { def encode(value) = { true => "t", false => "f" }.fetch(value, value&.to_s) }
      Bytea = Class.new(SimpleEncoder) { def encode(value) = value && ::Trunkline::PG.const_get(:Bytea).escape(value.to_s) }
      Identifier = Class.new(SimpleEncoder) { def encode(value) = value && Array(value).map { |part| "\"#{TextEncoder.text(part).gsub('"', '""')}\"" }.join(".") }
      QuotedLiteral = Class.new(SimpleEncoder) { def encode(value) = value && "'#{value.to_s.gsub("'", "''")}'" }
    end
  end
end
