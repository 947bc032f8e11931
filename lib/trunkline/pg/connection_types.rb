# frozen_string_literal: true

require_relative "type_maps"

module Trunkline
  module PG
    # The type maps of a connection and its coders for COPY, and their application to results.
    class ConnectionTypes
      # @return [TypeMap] for parameters and for results, of this module or of the pg gem
      attr_reader :for_queries, :for_results

      # @return [Symbol] :string or :symbol, for the keys of results
      attr_reader :names

      # @return [#encode, #decode, nil] for COPY
      attr_accessor :copy_encoder, :copy_decoder

      # @param results [TypeMap] the initial one for results
      def initialize(results = TypeMapAllStrings.new)
        @for_queries = TypeMapAllStrings.new
        @names = :string
        self.for_results = results
      end

      # @raise [TypeError] it is not a type map
      def for_queries=(map)
        TypeMap.reading(map)
        @for_queries = map
      end

      # @raise [TypeError] it is not a type map
      def for_results=(map)
        @reading_results = TypeMap.reading(map)
        @plain = map.class.name.end_with?("::TypeMapAllStrings")
        @for_results = map
      end

      # @raise [ArgumentError] it is neither :string nor :symbol
      def names=(type)
        Result.new([], nil, nil).field_name_type = type
        @names = type == :static_symbol ? :symbol : type
      end

      # @param result [Result]
      # @return [Result] the same, with the maps applied
      def settle(result)
        result.field_name_type = @names unless @names == :string
        result.decode_by(@reading_results, @for_results) unless @plain
        result
      end
    end
    private_constant :ConnectionTypes
  end
end
