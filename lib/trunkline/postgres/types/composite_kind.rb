# frozen_string_literal: true

module Trunkline
  module Postgres
    class Types
      # A value does not match the type that was looked up: the type has been changed since, or the value is malformed.
      class OutdatedType < ProtocolError # :nodoc:
      end

      # Composite values: Hashes by the names of their attributes.
      class CompositeKind # :nodoc:
        FIELD = /\G(?:"((?:[^"\\]++|""|\\.)*+)"|([^,]*+)),/m
        MALFORMED = "malformed value of a composite type"
        HASH = 40       # bytes of an empty Hash
        ATTRIBUTE = 104 # bytes of a Hash for each entry: 21 to 103, by ObjectSpace.memsize_of for 2 to 1,600 entries
        private_constant :FIELD, :MALFORMED, :HASH, :ATTRIBUTE

        # @param attributes [Hash{String => Entry}] in order
        def initialize(attributes)
          @attributes = attributes
        end

        # @param text [String]
        # @param memory [RowMemory] of the value's row
        # @return [Hash{String => Object}]
        # @raise [ProtocolError] its fields differ from the type's
        # @raise [UnreadableResult] the row's values take more memory than allowed
        def decode(text, memory = RowMemory.new)
          memory.take(HASH + (@attributes.size * ATTRIBUTE)) # a null attribute costs the server one byte
          fields = fields_of(text)
          @attributes.each_with_index.to_h { |(name, type), at| [name, field(type, *fields[at], memory)] }
        end

        # @param value [Hash{String, Symbol => Object}, Array] by names, missing ones are NULL; or in order
        # @return [String]
        # @raise [ArgumentError] there is no such attribute, or another number of them
        def encode(value, parameter)
          values = value.is_a?(Hash) ? by_name(value, parameter) : in_order(value, parameter)
          "(#{@attributes.values.zip(values).map { |type, field| quoted(type, field, parameter) }.join(",")})"
        end

        def array? = true

        private

        # Stops at the first surplus field: a text of only commas is not split into as many fields.
        def fields_of(text)
          expected = [@attributes.size, 1].max
          fields = []
          "#{text[1...-1]},".scan(FIELD) do |field|
            raise OutdatedType, MALFORMED if fields.size == expected

            fields << field
          end
          fields.size == expected ? fields : raise(OutdatedType, MALFORMED)
        end

        def field(type, quoted, bare, memory)
          return type.decode(quoted.gsub(/""|\\(.)/m) { $1 || '"' }, memory) if quoted

          type.decode(bare, memory) unless bare.empty?
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
