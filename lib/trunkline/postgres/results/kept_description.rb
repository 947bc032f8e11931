# frozen_string_literal: true

module Trunkline
  module Postgres
    # The columns of a result that was loaded from a cache, without the connection that it came from.
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
