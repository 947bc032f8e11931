# frozen_string_literal: true

require_relative "binary_coders"

module Trunkline
  module PG
    # Chooses the decoder of each column of a result, and the encoder of each parameter.
    class TypeMap
      # @param map [TypeMap] of this module, or of the pg gem
      # @return [TypeMap] of this module
      # @raise [TypeError] it is neither
      def self.reading(map) # :nodoc:
        return map if map.is_a?(TypeMap)
        return ForeignTypeMap.new(map) if defined?(::PG::TypeMap) && ::PG::TypeMap === map

        raise TypeError, "wrong argument type #{map.class} (expected kind of PG::TypeMap)"
      end

      # @raise [TypeError] it is not a coder of this module or of the pg gem
      def self.check(coder) # :nodoc:
        return if coder.is_a?(Coder) || (defined?(::PG::Coder) && ::PG::Coder === coder)

        raise TypeError, "wrong argument type #{coder.class} (expected PG::Coder)"
      end

      # @param _result [Result] for which it will be used
      # @return [TypeMap] itself, or another one for this result
      def fit_to_result(_result) = self

      # @param result [Result]
      # @return [Array<#decode, nil>] one for each column; nil: the server's text
      def decoders_for(result) = Array.new(result.nfields)

      # @param values [Array]
      # @return [Array] what is sent: a String, nil, or a Hash with :value, :type and :format
      def encoded(values) = values.map { |value| text(value) }

      # @param fields [Array] of a row of COPY
      # @param _method [Symbol] :decode or :encode
      # @return [Array] the fields, by the map's coders
      def copied(fields, _method) = fields # :nodoc:

      # @return [String]
      def inspect = "#<#{self.class}>"

      private

      def text(value)
        case value
        when nil then nil
        when ::String then value.encoding == Encoding::BINARY ? value.dup.force_encoding(Encoding::UTF_8) : value
        else value.to_s
        end
      end

      # Encodes a value, with the type and format of the encoder.
      def encoded_by(coder, value)
        return text(value) if coder.nil?

        given = value.nil? ? nil : coder.encode(value)
        coder.oid.zero? && coder.format.zero? ? given : { value: given, type: coder.oid, format: coder.format }
      end
    end

    # Mixin: if a map has no coder, it uses another map.
    module DefaultTypeMappable
      # @return [TypeMap] for values without a coder here
      def default_type_map = @default_type_map || TypeMapAllStrings.new

      # @param map [TypeMap]
      def default_type_map=(map)
        TypeMap.reading(map)
        @default_type_map = map
      end

      # @param map [TypeMap]
      # @return [TypeMap] itself
      def with_default_type_map(map)
        self.default_type_map = map
        self
      end

      private

      def others = TypeMap.reading(default_type_map)
    end

    # Everything is a String, in both directions: the initial map of a connection.
    class TypeMapAllStrings < TypeMap
    end

    # Coders by the numbers of columns.
    class TypeMapByColumn < TypeMap
      include DefaultTypeMappable

      # @return [Array<Coder, nil>]
      attr_reader :coders

      # @param coders [Array<Coder, nil>] one for each column, or each parameter
      # @raise [TypeError] it is not such an Array
      def initialize(coders)
        super()
        raise TypeError, "wrong argument type #{coders.class} (expected Array)" unless coders.is_a?(Array)

        @coders = coders.each { |coder| TypeMap.check(coder) unless coder.nil? }
      end

      # @raise [ArgumentError] there are fewer or more columns
      def decoders_for(result)
        check(result.nfields, "result fields")
        rest = others.decoders_for(result)
        @coders.each_with_index.map { |coder, column| coder || rest[column] }
      end

      # @param values [Array]
      # @return [Array] as {TypeMap#encoded}
      # @raise [ArgumentError] there are fewer or more parameters
      def encoded(values)
        check(values.size, "query params")
        rest = others.encoded(values)
        values.each_with_index.map { |value, at| @coders[at] ? encoded_by(@coders[at], value) : rest[at] }
      end

      # @return [Array<Integer, nil>] of the coders' types
      def oids = @coders.map { |coder| coder&.oid }

      # @param fields [Array<String, nil>] of a row of COPY
      # @return [Array] coded
      # @raise [ArgumentError] there are fewer or more fields
      def copied(fields, method) # :nodoc:
        check(fields.size, "copy fields")
        rest = nil
        fields.each_with_index.map { |field, at| @coders[at] ? @coders[at].public_send(method, field) : (rest ||= others.copied(fields, method))[at] }
      end

      # @return [String] the coders
      def inspect = "#<#{self.class} #{@coders.map { |coder| coder ? coder.inspect_short : "nil" }.join(" ")}>"

      private

      def check(size, what)
        raise NotImplementedError, "the type map is not initialized: its class calls super in initialize" unless @coders
        raise ArgumentError, "number of #{what} (#{size}) does not match number of mapped columns (#{@coders.size})" unless @coders.size == size
      end
    end

    # Decoders by the types of columns.
    class TypeMapByOid < TypeMap
      include DefaultTypeMappable

      # @return [Integer] stored without effect
      attr_accessor :max_rows_for_online_lookup

      def initialize
        super
        @decoders = {}
        @max_rows_for_online_lookup = 10
      end

      # @param coder [Coder] by its format and oid
      # @return [TypeMapByOid] itself
      # @raise [ArgumentError] its format is neither 0 nor 1
      # @raise [TypeError] it is not a coder
      def add_coder(coder)
        TypeMap.check(coder)
        raise FrozenError.new("can't modify frozen #{self.class}", receiver: self) if frozen?
        raise ArgumentError, "invalid format code #{coder.format}" unless [0, 1].include?(coder.format)

        @decoders[[coder.format, coder.oid]] = coder
        self
      end

      # @return [Coder, nil] that was removed
      def rm_coder(format, oid)
        raise FrozenError.new("can't modify frozen #{self.class}", receiver: self) if frozen?
        raise ArgumentError, "invalid format code #{format}" unless [0, 1].include?(format)

        @decoders.delete([format, oid])
      end

      # @return [Array<Coder>] those of the text format first
      def coders = @decoders.values.partition { |coder| coder.format.zero? }.flatten

      # @raise [NotImplementedError] the types of parameters are unknown
      def encoded(_values) = raise(NotImplementedError, "type map #{self.class} is not suitable to map query params")

      # @param result [Result]
      # @return [TypeMapByColumn] with the coders of these columns
      def build_column_map(result)
        TypeMapByColumn.new(own(result)).with_default_type_map(default_type_map)
      end

      # @param result [Result]
      # @return [Array<#decode, nil>] one for each column; nil: the server's text
      def decoders_for(result)
        rest = others.decoders_for(result)
        own(result).each_with_index.map { |coder, column| coder || rest[column] }
      end

      private

      def own(result) = Array.new(result.nfields) { |column| @decoders[[result.fformat(column), result.ftype(column)]] }
    end

    # Encoders by the classes of parameters, and of their ancestors.
    class TypeMapByClass < TypeMap
      include DefaultTypeMappable

      def initialize
        super
        @encoders = {}
      end

      # @param owner [Module]
      # @param encoder [Coder, #call, Symbol, nil] for values of the class; a callable or method returns the encoder or the encoded value; nil:
      #   removes it
      def []=(owner, encoder)
        encoder.nil? ? @encoders.delete(owner) : @encoders[owner] = encoder
      end

      # @param owner [Module]
      # @return [Coder, #call, Symbol, nil]
      def [](owner) = @encoders[owner]

      # @return [Hash{Module => Coder, #call, Symbol}]
      def coders = @encoders.dup

      # @param values [Array]
      # @return [Array] as {TypeMap#encoded}
      def encoded(values)
        rest = nil
        values.each_with_index.map do |value, at|
          coder = coder_for(value)
          coder ? encoded_by(coder, value) : (rest ||= others.encoded(values))[at]
        end
      end

      private

      def coder_for(value)
        owner = value.class.ancestors.find { |ancestor| @encoders.key?(ancestor) } or return
        found = @encoders[owner]
        case found
        when Symbol then __send__(found, value)
        when Proc, Method then found.call(value)
        else found
        end
      end
    end

    # Ruby's values for built-in types: numbers, true and false, dates and times, JSON, bytes, addresses, and arrays of these.
    class BasicTypeMapForResults < TypeMapByOid
      # Text remains text, and so do types without a class in Ruby.
      TYPES = [16, 17, 20, 21, 23, 26, 114, 3802, 700, 701, 869, 650, 1082, 1114, 1184, 1700,
               1000, 1001, 1005, 1007, 1016, 1009, 1015, 1021, 1022, 1182, 1115, 1185, 1231, 199, 3807].freeze
      # Types that are also decoded in the binary format.
      BINARY = [16, 17, 20, 21, 23, 26, 25, 700, 701, 1082, 1114, 1184].freeze
      private_constant :TYPES, :BINARY

      # @param connection [Connection] not used: types that are not built in remain text, unless a coder is added
      def initialize(connection = nil, registry: nil)
        super()
        raise ArgumentError, "registry: is not there: add_coder takes coders" if registry

        @connection = connection
        TYPES.each { |oid| add_coder(TextDecoder.__send__(:of, oid).new(oid: oid)) }
        BINARY.each { |oid| add_coder(BinaryDecoder.__send__(:of, oid).new(oid: oid, format: 1)) }
      end
    end

    # Parameters are Ruby's values: numbers, true and false, times, arrays, Hashes as JSON; encoded as this library does.
    class BasicTypeMapForQueries < TypeMap
      def initialize(connection = nil, registry: nil)
        super()
        raise ArgumentError, "registry: is not there: values of other classes are converted before they are given" if registry

        @connection = connection
      end

      # @param values [Array]
      # @return [Array] the values themselves, which the client encodes by their classes
      def encoded(values) = values
    end
  end
end

require_relative "foreign_type_map"
