# frozen_string_literal: true

module Trunkline
  module PG
    # Adapts a type map of the pg gem, whose own code reads only libpq's results: finds its coder for each value; the coders themselves are used
    # unchanged.
    class ForeignTypeMap < TypeMap # :nodoc:
      # @param map [PG::TypeMap] of the pg gem
      def initialize(map)
        super()
        @map = map
        @known = nil # the map's coders, and what {#by_format} has made of them
      end

      # @param result [Result]
      # @return [TypeMap] that the map itself chooses, if it overrides this in Ruby
      def fit_to_result(result)
        return self unless @map.respond_to?(:fit_to_result) # the gem's own takes only libpq's results; Ruby code may define it

        TypeMap.reading(@map.fit_to_result(result))
      end

      # @param result [Result]
      # @return [Array<#decode, nil>]
      def decoders_for(result)
        case @map
        when ::PG::TypeMapByColumn then TypeMapByColumn.new(@map.coders).with_default_type_map(@map.default_type_map).decoders_for(result)
        when ::PG::TypeMapByOid then by_type(result)
        when ::PG::TypeMapInRuby then by_ruby(result)
        when ::PG::TypeMapByClass, ::PG::TypeMapByMriType then ForeignTypeMap.new(@map.default_type_map).decoders_for(result)
        else super
        end
      end

      # @param values [Array]
      # @return [Array] as {TypeMap#encoded}
      # @raise [TypeError] as {#decoders_for}
      def encoded(values)
        case @map
        when ::PG::TypeMapByClass then by_class(values)
        when ::PG::TypeMapByMriType then raise refusal
        when ::PG::TypeMapByColumn then TypeMapByColumn.new(@map.coders).with_default_type_map(@map.default_type_map).encoded(values)
        when ::PG::TypeMapInRuby then values.each_with_index.map { |value, at| encoded_by(@map.typecast_query_param(value, at), value) }
        when ::PG::TypeMapByOid then others.encoded(values)
        else super
        end
      end

      private

      def others = ForeignTypeMap.new(@map.default_type_map)

      def by_type(result)
        return [] if result.nfields.zero? # as of BEGIN and COMMIT

        coders = by_format[result.binary_tuples]
        found = Array.new(result.nfields) { |column| coders[result.ftype(column)] }
        return found if found.all?

        rest = others.decoders_for(result)
        found.each_with_index.map { |coder, column| coder || rest[column] }
      end

      # @return [Array<Hash{Integer => PG::Coder}>] the coders of each format by type, as long as the map has the same
      def by_format
        coders = @map.coders
        known, table = @known
        return table if coders == known

        table = [0, 1].map { |format| coders.select { |coder| coder.format == format }.to_h { |coder| [coder.oid, coder] } }
        @known = [coders, table]
        table
      end

      def by_ruby(result)
        ForeignTypeMap.answer_ruby
        Array.new(result.nfields) { |column| InRuby.new(@map, result, column) }
      end

      # For a class without a coder, the map itself is called, which checks its ancestors.
      def by_class(values)
        coders = @map.coders
        rest = nil
        values.each_with_index.map do |value, at|
          coder = coder_for(coders, value)
          coder ? encoded_by(coder, value) : (rest ||= others.encoded(values))[at]
        end
      end

      def coder_for(coders, value)
        owner = value.class.ancestors.find { |ancestor| coders.key?(ancestor) } or return
        case coder = coders[owner]
        when Symbol then @map.__send__(coder, value)
        when Proc, Method then coder.call(value)
        else coder
        end
      end

      def refusal
        TypeError.new("#{@map.class} encodes by the C structs of Ruby's values, which is not done here: use PG::TypeMapByClass")
      end

      # A column that a map's Ruby code decodes.
      InRuby = Struct.new(:map, :result, :column) do
        def decode(_value, row, column = self.column) = map.typecast_result_value(result, row, column)
      end

      # Handles the `super` call of such code.
      module Answering
        def typecast_result_value(result, row, column)
          return super unless Result === result

          value = result.sent_value(row, column)
          decoder = ForeignTypeMap.new(default_type_map).decoders_for(result)[column]
          decoder ? decoder.decode(value, row, column) : value
        end
      end
      private_constant :InRuby, :Answering

      # Prepends it to the pg gem's maps in Ruby, so that they accept results of this library too.
      def self.answer_ruby = ::PG::TypeMapInRuby.prepend(Answering)
    end
    private_constant :ForeignTypeMap
  end
end
