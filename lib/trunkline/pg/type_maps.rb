# frozen_string_literal: true

require_relative "coders"

module Trunkline
  module PG
    # Which decoder each column of a result has, and how the parameters of queries are sent.
    class TypeMap
      # @param result [Result]
      # @return [Array<#decode, nil>] one for each column; nil: the server's text
      def decoders_for(result) = Array.new(result.nfields)

      # @param values [Array]
      # @return [Array] what is sent for them
      def encoded(values) = values.map { |value| text(value) }

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
    end

    # Everything is a String, in both directions: what a connection begins with.
    class TypeMapAllStrings < TypeMap
    end

    # Decoders by the numbers of columns.
    class TypeMapByColumn < TypeMap
      # @return [Array<Coder, nil>]
      attr_reader :coders

      # @param coders [Array<Coder, nil>] one for each column, or each parameter
      def initialize(coders)
        super()
        @coders = coders
      end

      # @raise [ArgumentError] there are fewer or more columns
      def decoders_for(result)
        return @coders if @coders.size == result.nfields

        raise ArgumentError, "number of result fields (#{result.nfields}) does not match number of mapped columns (#{@coders.size})"
      end

      def encoded(values)
        raise ArgumentError, "number of result fields (#{values.size}) does not match number of mapped columns (#{@coders.size})" unless @coders.size == values.size

        values.zip(@coders).map { |value, coder| value.nil? || coder.nil? ? text(value) : coder.encode(value) }
      end
    end

    # Decoders by the types of columns.
    class TypeMapByOid < TypeMap
      def initialize
        super
        @decoders = {}
      end

      # @return [TypeMap] for types that have no decoder here
      attr_accessor :default_type_map

      # @param coder [Coder] by its oid
      # @return [TypeMapByOid] itself
      def add_coder(coder)
        raise ArgumentError, "invalid format code #{coder.format}" unless coder.format.zero?

        @decoders[coder.oid] = coder
        self
      end

      # @return [Coder, nil] the one that was taken away
      def rm_coder(_format, oid) = @decoders.delete(oid)

      # @return [Array<Coder>]
      def coders = @decoders.values

      # @param result [Result]
      # @return [Array<#decode, nil>] one for each column; nil: the server's text
      def decoders_for(result)
        others = default_type_map ? default_type_map.decoders_for(result) : Array.new(result.nfields)
        Array.new(result.nfields) { |column| @decoders.fetch(result.ftype(column)) { others[column] } }
      end
    end

    # Ruby's values for the types that are built in: numbers, true and false, dates and times, JSON, bytes, addresses, and arrays of these.
    class BasicTypeMapForResults < TypeMapByOid
      # Text is what it is, and so are types that have no class of Ruby's own.
      TYPES = [16, 17, 20, 21, 23, 26, 114, 3802, 700, 701, 869, 650, 1082, 1114, 1184, 1700,
               1000, 1001, 1005, 1007, 1016, 1009, 1015, 1021, 1022, 1182, 1115, 1185, 1231, 199, 3807].freeze
      private_constant :TYPES

      # @param connection [Connection] not asked: types of the database's own are text, unless a coder is added
      def initialize(connection = nil, registry: nil)
        super()
        raise ArgumentError, "registry: is not there: add_coder takes coders" if registry

        @connection = connection
        TYPES.each { |oid| add_coder(TextDecoder.__send__(:of, oid).new(oid: oid)) }
      end
    end

    # Parameters are Ruby's values: numbers, true and false, times, arrays, Hashes as JSON; sent as this library sends them.
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
