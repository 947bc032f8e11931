# frozen_string_literal: true

require_relative "type_maps"

module Trunkline
  module PG
    # The type maps of a connection, its coders for COPY, and what becomes of its results by them.
    class ConnectionTypes
      # @return [TypeMap] of parameters and of results, of this module or of the pg gem
      attr_reader :for_queries, :for_results

      # @return [Symbol] :string or :symbol, of the keys of results
      attr_reader :names

      # @return [#encode, #decode, nil] of COPY
      attr_accessor :copy_encoder, :copy_decoder

      # @param results [TypeMap] of results at first
      def initialize(results = TypeMapAllStrings.new)
        @for_queries = TypeMapAllStrings.new
        @names = :string
        self.for_results = results
      end

      # @raise [TypeError] it is no type map
      def for_queries=(map)
        TypeMap.reading(map)
        @for_queries = map
      end

      # @raise [TypeError] it is no type map
      def for_results=(map)
        TypeMap.reading(map)
        @plain = map.class.name.end_with?("::TypeMapAllStrings")
        @for_results = map
      end

      # @raise [ArgumentError] it is neither :string nor :symbol
      def names=(type)
        Result.new([], nil, nil).field_name_type = type
        @names = type == :static_symbol ? :symbol : type
      end

      # @param result [Result]
      # @return [Result] the same, by the maps
      def settle(result)
        result.field_name_type = @names unless @names == :string
        result.type_map = @for_results unless @plain
        result
      end
    end
    private_constant :ConnectionTypes
  end
end
