# frozen_string_literal: true

module Trunkline
  module Postgres
    # What a result says of its columns when it comes out of a cache: no connection knows it any more.
    KeptDescription = Struct.new(:columns, :types, :modifiers) do
      # @param row [Array]
      # @return [Hash{String => Object}] as Description#named
      def named(row) = columns.zip(row).to_h

      # @param row [Array]
      # @return [Hash{Symbol => Object}] as Description#symbolized
      def symbolized(row) = columns.map(&:to_sym).zip(row).to_h
    end
    private_constant :KeptDescription
  end
end
