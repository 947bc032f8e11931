# frozen_string_literal: true

module Trunkline
  module Postgres
    class Types
      # A value is not of the form that was looked up: its type has been changed since, or it is broken.
      class OutdatedType < ProtocolError # :nodoc:
      end

      # Rows as values: Hashes by the names of their attributes.
      class CompositeKind # :nodoc:
        FIELD = /\G(?:"((?:[^"\\]++|""|\\.)*+)"|([^,]*+)),/m
        private_constant :FIELD

        # @param attributes [Hash{String => Entry}] in order
        def initialize(attributes)
          @attributes = attributes
        end

        # @param text [String]
        # @return [Hash{String => Object}]
        # @raise [ProtocolError] it has not the fields that the type has
        def decode(text)
          fields = "#{text[1...-1]},".scan(FIELD)
          raise OutdatedType, "malformed value of a composite type" unless fields.size == [@attributes.size, 1].max

          @attributes.each_with_index.to_h { |(name, type), at| [name, field(type, *fields[at])] }
        end

        # @param value [Hash{String, Symbol => Object}, Array] by names, where what is missing is NULL; or in order
        # @return [String]
        # @raise [ArgumentError] there is no such attribute, or another number of them
        def encode(value, parameter)
          values = value.is_a?(Hash) ? by_name(value, parameter) : in_order(value, parameter)
          "(#{@attributes.values.zip(values).map { |type, field| quoted(type, field, parameter) }.join(",")})"
        end

        def array? = true

        private

        def field(type, quoted, bare)
          return type.decode(quoted.gsub(/""|\\(.)/m) { $1 || '"' }) if quoted

          type.decode(bare) unless bare.empty?
        end

        def by_name(value, parameter)
          given = value.transform_keys(&:to_s)
          unknown = given.keys - @attributes.keys
          raise ArgumentError, "#{parameter.name} has no attribute #{unknown.join(", ")}: there are #{@attributes.keys.join(", ")}" unless unknown.empty?

          given.values_at(*@attributes.keys)
        end

        def in_order(value, parameter)
          parameter.refuse(value, "a Hash or an Array") unless value.is_a?(Array)
          return value if value.size == @attributes.size

          raise ArgumentError, "#{parameter.name} has #{@attributes.size} attributes, and #{value.size} were given"
        end

        def quoted(type, value, parameter)
          %("#{parameter.text(value, type.parameter_type).gsub(/["\\]/) { |special| "\\#{special}" }}") unless value.nil?
        end
      end
    end
  end
end
