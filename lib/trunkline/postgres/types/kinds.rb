# frozen_string_literal: true

require_relative "composite_kind"
require_relative "range_kind"

module Trunkline
  module Postgres
    class Types
      # Values of the extension hstore: a Hash of Strings, or nil.
      module HstoreKind # :nodoc:
        # Each match begins where the one before has ended: tried at every quote of a malformed text, matching would take quadratic time.
        PAIR = /\G(?:, )?"((?:[^"\\]++|\\.)*+)"=>(?:"((?:[^"\\]++|\\.)*+)"|NULL)/m
        ENTRY = 104 + (2 * 40) # bytes in a Hash, as in CompositeKind, with two Strings besides their text
        private_constant :PAIR, :ENTRY

        module_function

        def decode(text, memory = RowMemory.new)
          pairs = {}
          text.scan(PAIR) do |key, value|
            memory.take(ENTRY + key.bytesize + (value&.bytesize || 0))
            pairs[plain(key)] = value && plain(value)
          end
          pairs
        end

        def encode(value, parameter)
          parameter.refuse(value, "a Hash") unless value.is_a?(Hash)
          value.map { |key, item| "#{quoted(key, parameter)}=>#{item.nil? ? "NULL" : quoted(item, parameter)}" }.join(",")
        end

        def array? = false

        def plain(text) = text.gsub(/\\(.)/m) { $1 }
        def quoted(value, parameter) = %("#{parameter.text(value, 0).gsub(/["\\]/) { |special| "\\#{special}" }}")
        private_class_method :plain, :quoted
      end

      # Vectors of the extension pgvector: an Array of Floats.
      module VectorKind # :nodoc:
        ELEMENT = 40 + 8 + 40 + 8 # bytes of a number's text and of a Float, with their slots in Arrays
        private_constant :ELEMENT

        module_function

        def decode(text, memory = RowMemory.new)
          memory.take((text.count(",") + 1) * ELEMENT)
          text[1...-1].split(",").map { |number| Float(number) }
        end

        def encode(value, parameter)
          parameter.refuse(value, "an Array of numbers") unless value.is_a?(Array) && value.all?(Numeric)
          "[#{value.map { |number| parameter.text(number, 0) }.join(",")}]"
        end

        def array? = true
      end

      # A type with a decoder and an encoder of the user.
      class CustomKind # :nodoc:
        # @param decode [#call, nil] takes the server's text
        # @param encode [#call, nil] takes a value; returns one that has a form in PostgreSQL, as a String
        def initialize(decode, encode)
          @decode = decode
          @encode = encode
        end

        def decode(text, _memory = nil) = @decode ? @decode.call(text) : text

        def encode(value, parameter) = parameter.text(@encode ? @encode.call(value) : value, 0)

        # Its encoder takes an Array as one value.
        def array? = !@encode.nil?
      end

      # Arrays of values that Ruby encodes.
      class ArrayKind # :nodoc:
        # @param element [#encode]
        def initialize(element)
          @element = element
        end

        def encode(value, parameter)
          parameter.refuse(value, "an Array") unless value.is_a?(Array)
          Parameters::ArrayLiteral.of(value, parameter, @element)
        end

        def array? = true
      end

      # Kinds that are identified by the names of their extensions' input functions.
      KNOWN = { "hstore_in" => HstoreKind, "vector_in" => VectorKind, "halfvec_in" => VectorKind }.freeze
      private_constant :KNOWN
    end
  end
end
